/** What has to be there for a test to go on. */
export function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("it is not there");
  return value;
}
