import { allocate, release } from "./allocate";
import { CELL_BITS } from "./cell";

/**
 * The memory of a frame: pages of 16 cells, allocated when first written. A page table:
 *
 *   0 directory | 4 its reach in cells | 8 far table | 12 log2 of its entries | 16 entries in use
 *
 * The directory has a u32 per page and covers cells 0 up to its reach, a power of two that grows with the highest cell
 * written, up to DIRECT cells. Pages beyond are in the far table, a hash table with open addressing, keyed by page
 * number:
 *
 *   0 page number u32 | 4 page u32, 0 when free
 *
 * Pages are small because 36 gas suffice to touch a new page anywhere. So a unit of gas allocates at most 20 bytes.
 */
export const PAGE_TABLE: usize = 20;
const PAGE_CELL_BITS: u32 = 4;
const PAGE_CELLS: u32 = 16;
const PAGE_BYTES: usize = 512;

const DIRECT: u32 = 1 << 18;
const FIRST_REACH: u32 = 256;
const FAR_BITS: u32 = 3;

/** Read in place of pages that were never written. */
const ZERO_PAGE = memory.data(512, 32);

/** Cached page table of the running frame: directory, reach, and the table itself. */
export let directory: usize = 0;
export let reach: u32 = 0;
let table: usize = 0;

export function initializePages(at: usize): void {
  store<u32>(at, 0);
  store<u32>(at, 0, 4);
  store<u32>(at, 0, 8);
  store<u32>(at, 0, 12);
  store<u32>(at, 0, 16);
}

/** Makes `at` the page table of the running frame. */
export function usePages(at: usize): void {
  table = at;
  directory = load<u32>(at);
  reach = load<u32>(at, 4);
}

@inline
function within(page: usize, address: u32): usize {
  return page + (<usize>(address & (PAGE_CELLS - 1)) << CELL_BITS);
}

/** The cell at `address` of the running frame, for reading only. */
@inline
export function readable(address: u32): usize {
  if (address < reach) {
    return within(load<u32>(directory + (<usize>(address >> PAGE_CELL_BITS) << 2)), address);
  }
  return readableIn(table, address);
}

/** The cell at `address` of the running frame, for writing. */
@inline
export function writable(address: u32): usize {
  if (address < reach) {
    const page = <usize>load<u32>(directory + (<usize>(address >> PAGE_CELL_BITS) << 2));
    if (page != ZERO_PAGE) return within(page, address);
  }
  return makeWritable(address);
}

/** The cell at `address` of any frame's table, for reading only. */
export function readableIn(at: usize, address: u32): usize {
  if (address < load<u32>(at, 4)) {
    return within(load<u32>(<usize>load<u32>(at) + (<usize>(address >> PAGE_CELL_BITS) << 2)), address);
  }
  if (address < DIRECT || load<u32>(at, 8) == 0) return ZERO_PAGE;
  const page = <usize>load<u32>(farEntry(at, address >> PAGE_CELL_BITS), 4);
  return page == 0 ? ZERO_PAGE : within(page, address);
}

/** Whether the page of `address` has been written. If not, its cells are zero. */
export function isPresent(address: u32): bool {
  const cell = readableIn(table, address);
  return cell < ZERO_PAGE || cell >= ZERO_PAGE + PAGE_BYTES;
}

function newPage(): usize {
  const page = allocate(PAGE_BYTES);
  memory.fill(page, 0, PAGE_BYTES);
  return page;
}

function makeWritable(address: u32): usize {
  if (address >= DIRECT) return makeFar(address);
  if (address >= reach) extendDirectory(address);
  const entry = directory + (<usize>(address >> PAGE_CELL_BITS) << 2);
  let page = <usize>load<u32>(entry);
  if (page == ZERO_PAGE) {
    page = newPage();
    store<u32>(entry, <u32>page);
  }
  return within(page, address);
}

function extendDirectory(address: u32): void {
  let longer = max(reach, FIRST_REACH);
  while (longer <= address) longer <<= 1;
  const bytes = directoryBytes(longer);
  const have = directoryBytes(reach);
  const grown = allocate(bytes);
  memory.copy(grown, directory, have);
  for (let at = have; at < bytes; at += 4) store<u32>(grown + at, <u32>ZERO_PAGE);
  if (reach > 0) release(directory, have);
  directory = grown;
  reach = longer;
  store<u32>(table, <u32>grown);
  store<u32>(table, longer, 4);
}

@inline
function directoryBytes(cells: u32): usize {
  return <usize>(cells >> PAGE_CELL_BITS) << 2;
}

/** The entry of a page number, or the free one where it would go. The table is never full. */
function farEntry(at: usize, number: u32): usize {
  const entries = <usize>load<u32>(at, 8);
  const bits = load<u32>(at, 12);
  const mask = (<u32>1 << bits) - 1;
  let i = spread(number) >> (32 - bits);
  while (true) {
    const entry = entries + (<usize>i << 3);
    if (load<u32>(entry, 4) == 0 || load<u32>(entry) == number) return entry;
    i = (i + 1) & mask;
  }
}

/** Random for each instance, so that an attacker cannot choose page numbers that collide. */
let seed: u32 = 0;
let multiplier: u32 = 0x9e3779b1;

export function seedFarTables(first: u32, second: u32): void {
  seed = first;
  multiplier = second | 1;
}

/** Mixes a page number so that its high bits depend on all of it. */
@inline
function spread(number: u32): u32 {
  let x = (number ^ seed) * multiplier;
  x = (x ^ (x >> 15)) * 0x85ebca77;
  return (x ^ (x >> 13)) * 0xc2b2ae3d;
}

function newFarTable(at: usize, bits: u32): void {
  const bytes = <usize>8 << bits;
  const entries = allocate(bytes);
  memory.fill(entries, 0, bytes);
  store<u32>(at, <u32>entries, 8);
  store<u32>(at, bits, 12);
}

function makeFar(address: u32): usize {
  if (load<u32>(table, 8) == 0) newFarTable(table, FAR_BITS);
  const number = address >> PAGE_CELL_BITS;
  let entry = farEntry(table, number);
  if (load<u32>(entry, 4) == 0) {
    const count = load<u32>(table, 16) + 1;
    if (count << 1 > <u32>1 << load<u32>(table, 12)) {
      growFarTable();
      entry = farEntry(table, number);
    }
    store<u32>(table, count, 16);
    // Allocate the page before its entry: allocating may end the run, and the table must stay consistent.
    const page = newPage();
    store<u32>(entry, number);
    store<u32>(entry, <u32>page, 4);
  }
  return within(load<u32>(entry, 4), address);
}

function growFarTable(): void {
  const old = <usize>load<u32>(table, 8);
  const bits = load<u32>(table, 12);
  newFarTable(table, bits + 1);
  const bytes = <usize>8 << bits;
  for (let at = old; at < old + bytes; at += 8) {
    if (load<u32>(at, 4) != 0) store<u64>(farEntry(table, load<u32>(at)), load<u64>(at));
  }
  release(old, bytes);
}

/** Frees all pages of a table, and its directory and far table. */
export function releasePages(at: usize): void {
  const cells = load<u32>(at, 4);
  if (cells > 0) {
    const from = <usize>load<u32>(at);
    const bytes = directoryBytes(cells);
    for (let entry = from; entry < from + bytes; entry += 4) {
      const page = <usize>load<u32>(entry);
      if (page != ZERO_PAGE) release(page, PAGE_BYTES);
    }
    release(from, bytes);
  }
  const far = <usize>load<u32>(at, 8);
  if (far != 0) {
    const bytes = <usize>8 << load<u32>(at, 12);
    for (let entry = far; entry < far + bytes; entry += 8) {
      const page = <usize>load<u32>(entry, 4);
      if (page != 0) release(page, PAGE_BYTES);
    }
    release(far, bytes);
  }
}
