const MAX = 2_147_483_647;

/** Parses the number of an issue as users write it, for example "12" and "#12". Null if it is none. */
export function parseIssueNumber(input: string): number | null {
  const digits = /^#?(\d+)$/.exec(input.trim())?.[1];
  const number = Number(digits ?? 0);
  return number >= 1 && number <= MAX ? number : null;
}
