/**
 * Branch patterns as the policy writes them: `*` stands for any characters of one path segment, `**` for any
 * characters of any depth, `?` for one character of a segment, and everything else for itself.
 */

type Token =
  | { readonly kind: 'literal'; readonly character: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'many'; readonly crossesSegments: boolean };

const FIRST_WILDCARD = /[*?]/;

/** Whether the whole branch name (without `refs/heads/`) matches; takes time in proportion to pattern × branch at worst. */
export function branchMatches(pattern: string, branch: string): boolean {
  const tokens = tokensOf(pattern);
  // The states of an automaton: reached[i] says that the first i tokens match what was read so far. No backtracking.
  let reached = afterOptional(tokens, [true, ...tokens.map(() => false)]);
  for (const character of branch) {
    const next = [false, ...tokens.map((token, index) => reached[index] === true && consumes(token, character))];
    tokens.forEach((token, index) => {
      // A run of characters stays in its own state: it may consume another one.
      if (token.kind === 'many' && next[index + 1] === true) next[index] = true;
    });
    reached = afterOptional(tokens, next);
  }
  return reached[tokens.length] === true;
}

/** What every matching branch begins with: a pattern without wildcards whole, else up to the last slash before the first. */
export function literalPrefix(pattern: string): string {
  const wildcard = pattern.search(FIRST_WILDCARD);
  if (wildcard === -1) return pattern;
  return pattern.slice(0, pattern.lastIndexOf('/', wildcard) + 1);
}

/** What follows the last slash: for a release branch, its version. */
export const lastSegment = (branch: string): string => branch.slice(branch.lastIndexOf('/') + 1);

function tokensOf(pattern: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const run of pattern.matchAll(/\*+|[^*]/gsu)) {
    const text = run[0];
    if (text.startsWith('*')) tokens.push({ kind: 'many', crossesSegments: text.length > 1 });
    else tokens.push(text === '?' ? { kind: 'one' } : { kind: 'literal', character: text });
  }
  return tokens;
}

function consumes(token: Token, character: string): boolean {
  if (token.kind === 'literal') return token.character === character;
  return (token.kind === 'many' && token.crossesSegments) || character !== '/';
}

/** A run may be empty, so whoever stands before one stands behind it too. */
function afterOptional(tokens: readonly Token[], reached: boolean[]): boolean[] {
  tokens.forEach((token, index) => {
    if (token.kind === 'many' && reached[index] === true) reached[index + 1] = true;
  });
  return reached;
}
