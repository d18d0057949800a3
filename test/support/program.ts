/** Which program the tests start as a process: the sources, or under `run test` the bundle of them, which is what the image runs. */
export const program = process.env.COWRY_TEST_PROGRAM ?? "src/main.ts"
