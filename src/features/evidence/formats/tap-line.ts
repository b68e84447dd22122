/** A line that means something in TAP; all others are output of the tests. */
export type TapLine =
  | { readonly of: 'point'; readonly point: TapPoint }
  | { readonly of: 'plan'; readonly count: number }
  | { readonly of: 'bail-out'; readonly reason: string }
  | { readonly of: 'subtest'; readonly name: string }
  /** The `}` that ends a buffered subtest. */
  | { readonly of: 'end' };

/** What means something to the block that it stands in. */
export type BlockLine = Exclude<TapLine, { of: 'bail-out' }>;

/** One test, or the sum of a subtest. */
export interface TapPoint {
  readonly isOk: boolean;
  /** Null where the line does not number it. */
  readonly number: number | null;
  readonly description: string;
  readonly directive: 'skip' | 'todo' | null;
  /** Its subtest follows, in braces. */
  readonly opensBlock: boolean;
}

const POINT = /^(not )?ok\b(?:[ \t]+(\d{1,9})\b)?[ \t]*(?:- )?(.*)$/;
const PLAN = /^1\.\.(\d{1,9})[ \t]*(?:#.*)?$/;
const BAIL_OUT = /^Bail out!(.*)$/i;
const SUBTEST = /^# Subtest(?:: (.*))?$/;
/** `Skipped:` is a directive as well. */
const DIRECTIVE = /^(skip|todo\b)/i;
/** Only the word itself excuses a failure. */
const EXCUSE = /^(?:skip(?=[\s:]|$)|todo\b)/i;
/** How long it took differs from run to run (node-tap). */
const TIMING = /^time=[\d.]+m?s$/;

/** Reads a line without its indentation; null where it says nothing. */
export function tapLineOf(line: string): TapLine | null {
  switch (line.charAt(0)) {
    case 'o':
    case 'n':
      return pointOf(POINT.exec(line));
    case '1':
      return planOf(PLAN.exec(line));
    case '#':
      return subtestOf(SUBTEST.exec(line));
    case 'B':
    case 'b':
      return bailOutOf(BAIL_OUT.exec(line));
    case '}':
      return line === '}' ? { of: 'end' } : null;
    default:
      return null;
  }
}

const planOf = (match: RegExpExecArray | null): TapLine | null =>
  match === null ? null : { of: 'plan', count: Number(match[1]) };

const subtestOf = (match: RegExpExecArray | null): TapLine | null =>
  match === null ? null : { of: 'subtest', name: unescaped(match[1] ?? '') };

const bailOutOf = (match: RegExpExecArray | null): TapLine | null =>
  match === null ? null : { of: 'bail-out', reason: match[1]?.trim() ?? '' };

function pointOf(match: RegExpExecArray | null): TapLine | null {
  if (match === null) return null;
  const [, not, number, rest = ''] = match;
  const opensBlock = rest.endsWith(' {');
  const { description, comment } = splitAtHash(opensBlock ? rest.slice(0, -2) : rest);
  const word = DIRECTIVE.exec(comment)?.[1]?.toLowerCase();
  const directive = not === undefined || EXCUSE.test(comment) ? word : undefined;
  const isPartOfName = comment !== '' && word === undefined && !TIMING.test(comment);
  const point: TapPoint = {
    isOk: not === undefined,
    number: number === undefined ? null : Number(number),
    description: unescaped(isPartOfName ? `${description} # ${comment}` : description),
    directive: directive === 'skip' || directive === 'todo' ? directive : null,
    opensBlock,
  };
  return { of: 'point', point };
}

/** At the first `#` that is not escaped and stands after a space or alone. */
function splitAtHash(text: string): { readonly description: string; readonly comment: string } {
  for (let at = text.indexOf('#'); at !== -1; at = text.indexOf('#', at + 1)) {
    if (at > 0 && !/\s/.test(text.charAt(at - 1))) continue;
    return { description: text.slice(0, at).trim(), comment: text.slice(at + 1).trim() };
  }
  return { description: text.trim(), comment: '' };
}

/** TAP 14 writes `\#` and `\\` for what would mean something else. */
const unescaped = (text: string): string => (text.includes('\\') ? text.replace(/\\([#\\])/g, '$1') : text).trim();
