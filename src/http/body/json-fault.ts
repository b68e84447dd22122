type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma' | 'end';

const WHITESPACE = /[\t\n\r ]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const PLAIN_IN_STRING = /[^"\\\p{Cc}]{1,4096}|[\u007f-\u009f]/uy;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Where a text that is not JSON (RFC 8259) stops being it, as people count: `line 3, column 14`. */
export function locateJsonFault(text: string): string {
  const before = text.slice(0, faultOffset(text));
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `line ${line}, column ${before.length - lineStart + 1}`;
}

/** Walks the grammar with a stack of its own, because the text may nest as deep as it likes. */
function faultOffset(text: string): number {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = skip(WHITESPACE, text, 0);
  while (at < text.length) {
    const next = text[at];
    if (next === '{' || next === '[') {
      if (expected !== 'value' && expected !== 'value or ]') return at;
      open.push(next);
      expected = next === '{' ? 'name or }' : 'value or ]';
      at += 1;
    } else if (next === '}' || next === ']') {
      const closable = expected === 'comma' || expected === (next === '}' ? 'name or }' : 'value or ]');
      if (!closable || open.pop() !== (next === '}' ? '{' : '[')) return at;
      expected = open.length === 0 ? 'end' : 'comma';
      at += 1;
    } else if (next === ',') {
      if (expected !== 'comma') return at;
      expected = open.at(-1) === '{' ? 'name' : 'value';
      at += 1;
    } else if (next === ':') {
      if (expected !== 'colon') return at;
      expected = 'value';
      at += 1;
    } else {
      const isName = expected === 'name' || expected === 'name or }';
      if (!isName && expected !== 'value' && expected !== 'value or ]') return at;
      if (isName && next !== '"') return at;
      const end = next === '"' ? skipString(text, at) : { offset: skip(SCALAR, text, at), whole: true };
      if (!end.whole || end.offset === at) return end.offset;
      at = end.offset;
      if (isName) expected = 'colon';
      else expected = open.length === 0 ? 'end' : 'comma';
    }
    at = skip(WHITESPACE, text, at);
  }
  return text.length;
}

function skipString(text: string, start: number): { offset: number; whole: boolean } {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    const next = skip(text[at] === '\\' ? ESCAPE : PLAIN_IN_STRING, text, at);
    if (next === at) return { offset: at, whole: false };
    at = next;
  }
  return at < text.length ? { offset: at + 1, whole: true } : { offset: at, whole: false };
}

/** The offset behind what a sticky expression matches at `at`; `at` itself where it does not. */
function skip(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}
