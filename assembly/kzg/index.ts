export { coordinatesAt, indexesAt, initialize, maxTerms, scalarsAt, setPoint, sum } from "./sum";
