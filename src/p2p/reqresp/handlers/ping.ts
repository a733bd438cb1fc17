import { type RequestHandler, success } from "../request-handler.ts";

const PONG = new TextEncoder().encode("pong");

export const pingHandler: RequestHandler = () => success(PONG);
