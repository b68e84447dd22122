/**
 * Control characters, terminal escapes, single surrogates, direction marks and characters without a width. They could rewrite what a
 * terminal shows or let a text look like another one. The joiners of emojis and scripts stay.
 */
const UNSAFE =
  /[\p{Cc}\p{Cs}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028\u2029\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Every character that a reader does not see, and line ends. */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** The start of a command for the agents of GitHub Actions, Azure Pipelines and TeamCity, anywhere in a line. */
const COMMAND = /##(?=\w*\[)/g;

/** A shorter value is no secret, and any text may contain it by chance. */
const MIN_SECRET_CHARACTERS = 8;
const secrets = new Set<string>();

/**
 * Hides a credential from now on in everything that this process writes. A service or the error page of a proxy may repeat it, and it must
 * not appear in a log.
 */
export function hideSecret(secret: string): void {
  if (secret.length >= MIN_SECRET_CHARACTERS) secrets.add(secret);
}

/** Replaces each hidden credential. A text that hides one behind invisible characters loses all of them. */
function withoutSecrets(text: string): string {
  let result = text;
  for (const secret of secrets) {
    result = result.replaceAll(secret, '***');
    const visible = result.replaceAll(INVISIBLE, '');
    if (visible.includes(secret)) result = visible.replaceAll(secret, '***');
  }
  return result;
}

/** Returns a copy of a JSON value without hidden credentials. */
export function hideSecrets<T>(value: T): T {
  if (typeof value === 'string') return withoutSecrets(value) as T;
  if (Array.isArray(value)) return value.map(hideSecrets) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [withoutSecrets(name), hideSecrets<unknown>(member)]),
  ) as T;
}

/** Removes characters that control a terminal, and changes texts that a CI agent would execute as commands. */
const safeLine = (line: string): string =>
  line
    .replaceAll(UNSAFE, '')
    .replace(/^(\s*):(?=:)/, '$1: ')
    .replaceAll(COMMAND, '## ');

/** Joins lines for users, each with its end, without credentials and texts that control a terminal or a CI agent. */
export const safeLines = (lines: readonly string[]): string =>
  lines
    .flatMap((line) => withoutSecrets(line).split(/\r\n|\r|\n/))
    .map((line) => `${safeLine(line)}\n`)
    .join('');

/** Returns a JSON document as one line of the same content, without credentials and texts that control a terminal or a CI agent. */
export const safeJson = (document: object): string =>
  JSON.stringify(hideSecrets(document))
    .replaceAll(UNSAFE, escaped)
    .replaceAll(COMMAND, String.raw`\u0023\u0023`);

/** Escapes each code unit, because JSON has no other form. */
const escaped = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16).padStart(4, '0'))
    .map((unit) => String.raw`\u${unit}`)
    .join('');

/** Returns an external text as one line that is safe in a terminal and in a log, without credentials. */
export const plainText = (text: string): string =>
  withoutSecrets(text).replaceAll(/\s+/g, ' ').replaceAll(UNSAFE, '').trim();

/** Parses a JSON object. Returns an empty object for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
