/**
 * Branch patterns of the policy: `*` matches any characters of one path segment, `**` any characters at any depth, `?`
 * one character of a segment, and every other character itself.
 */
import type { Policy } from './policy.js';

/** Returns the patterns of release branches, those of hotfixes among them. */
export const releaseBranchPatterns = ({ testing, hotfixBranchPatterns }: Policy): readonly string[] => [
  testing.branchPattern,
  ...hotfixBranchPatterns,
];

/** Returns whether a release with this branch is a hotfix, which skips the rules of planning. */
export const isHotfixBranch = (branch: string, { hotfixBranchPatterns }: Policy): boolean =>
  hotfixBranchPatterns.every((pattern) => branchMatches(pattern, branch));

type Token =
  | { readonly kind: 'literal'; readonly character: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'many'; readonly crossesSegments: boolean };

const FIRST_WILDCARD = /[*?]/;

/**
 * Returns whether the pattern matches the whole branch name, without `refs/heads/`. Takes at most time proportional to
 * pattern × branch.
 */
export function branchMatches(pattern: string, branch: string): boolean {
  const wildcard = pattern.search(FIRST_WILDCARD);
  if (wildcard === -1) return pattern === branch;
  if (!branch.startsWith(pattern.slice(0, wildcard))) return false;
  const rest = pattern.slice(wildcard);
  // Most patterns are a folder with everything in it.
  return rest === '**' || matchesAll(tokenize(rest), branch.slice(wildcard));
}

function matchesAll(tokens: readonly Token[], text: string): boolean {
  // The states of an automaton: reached[i] means that the first i tokens match the characters so far. There is no
  // backtracking.
  let reached = afterOptional(tokens, [true, ...tokens.map(() => false)]);
  for (const character of text) {
    const next = [false, ...tokens.map((token, index) => reached[index] === true && consumes(token, character))];
    tokens.forEach((token, index) => {
      // A wildcard token may match another character.
      if (token.kind === 'many' && next[index + 1] === true) next[index] = true;
    });
    reached = afterOptional(tokens, next);
  }
  return reached[tokens.length] === true;
}

/**
 * Returns the common prefix of all matching branches: the whole pattern without wildcards, else the part up to the last
 * slash before the first wildcard.
 */
export function literalPrefix(pattern: string): string {
  const wildcard = pattern.search(FIRST_WILDCARD);
  if (wildcard === -1) return pattern;
  return pattern.slice(0, pattern.lastIndexOf('/', wildcard) + 1);
}

/** Returns the part after the last slash. For a release branch this is the version. */
export const lastSegment = (branch: string): string => branch.slice(branch.lastIndexOf('/') + 1);

function tokenize(pattern: string): readonly Token[] {
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

/** A wildcard may match nothing, so the state after it is also reached. */
function afterOptional(tokens: readonly Token[], reached: boolean[]): boolean[] {
  tokens.forEach((token, index) => {
    if (token.kind === 'many' && reached[index] === true) reached[index + 1] = true;
  });
  return reached;
}
