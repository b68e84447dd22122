export const MAX_KEY_NAME_LENGTH = 100;
const CONTROL_CHARACTER = /[\p{Cc}\p{Cs}]/u;

/** Why a key cannot be called so, or null. White space around a name is no part of it. */
export function keyNameProblem(name: string): string | null {
  const { length } = name.trim();
  if (length === 0 || length > MAX_KEY_NAME_LENGTH) return `name must have 1 to ${MAX_KEY_NAME_LENGTH} characters.`;
  return CONTROL_CHARACTER.test(name) ? 'name must not have control characters.' : null;
}
