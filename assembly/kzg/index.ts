export { compressedAt, indexesAt, initialize, mostTerms, scalarsAt, setPoint, sum } from "./sum";
