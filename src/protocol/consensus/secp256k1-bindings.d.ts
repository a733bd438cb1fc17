/** The native half of the package, without the fallback to JavaScript of its main module. */
declare module "secp256k1/bindings.js" {
  import * as secp256k1 from "secp256k1";
  export default secp256k1;
}
