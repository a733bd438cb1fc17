export { coordinatesAt, indexesAt, initialize, mostTerms, scalarsAt, setPoint, sum } from "./sum";
