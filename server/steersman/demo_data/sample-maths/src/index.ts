export * from "./math.js";
export * from "./shapes.js";
