/** Writes docs/configuration.md from the table of options; with --check only compares. */
import { configurationDocument } from "../src/config/reference.ts";
import { generatedDocument } from "./generated-document.ts";

generatedDocument("configuration.md", configurationDocument(), "the table of options");
