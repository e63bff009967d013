/** All the schedules, of which `npm test` runs the first. */
process.env["HOGA_SCHEDULES"] ??= "150";
await import("../../desk/schedules.test.ts");
