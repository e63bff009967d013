/** The library: all that a program may import from "hoga", by its doors. Other modules are not part of it. */
export * from "./doors/index.ts";
