import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Words that no declared name may contain; `docs/glossary.md` has the terms to use. */
const BANNED_WORDS = new Set(
  [
    'tell told tells say says said word words ask asks asked asking look looks looked keep keeps kept remember forget',
    'forgets forgotten bury wipe doubt doubts doubted judge judges judged judgement settle settles settled pursue',
    'pursuit pursuits insist made making hushed shown standing standings piece pieces card cards roll rolls person',
    'people whoever somebody nobody ground crew office recorder refusal wanted question questions tally glance custody',
  ].flatMap((line) => line.split(' ')),
);
/** Phrases that no comment, message or title may contain. */
const BANNED_PHRASES = /\b(?:whoever|somebody|nobody|thought over|told of|(?:the|code) host)\b/gi;

/**
 * How many declared names and texts of each folder still break the rules. A number may only become smaller; a folder that is not
 * listed has none.
 */
const KNOWN: Readonly<Record<string, readonly [names: number, texts: number]>> = {
  auth: [16, 55],
  // `madeAt` in the manifest of an audit pack.
  cli: [2, 6],
  database: [1, 1],
  // `pieces` in decisions, `madeAt` in the manifest of an audit pack, `standing` in a response.
  domain: [17, 0],
  'features/audit': [5, 7],
  'features/audit-pack': [5, 0],
  'features/billing': [1, 0],
  'features/evidence': [8, 0],
  'features/history': [0, 1],
  'features/keys': [2, 0],
  'features/operations': [1, 0],
  'features/overrides': [10, 0],
  'features/policy': [1, 0],
  'features/projects': [2, 0],
  'features/quality': [10, 0],
  'features/releases': [10, 0],
  'features/repositories': [3, 4],
  'features/reviews': [3, 1],
  'features/setup': [12, 19],
  'features/signing': [9, 0],
  'features/team': [4, 0],
  'features/web': [0, 2],
  'features/webhooks': [0, 3],
  github: [0, 15],
  http: [4, 0],
  server: [2, 0],
};

const folderOf = (file: string): string =>
  file
    .split('/')
    .slice(0, file.startsWith('features/') ? 2 : 1)
    .join('/');

const wordsIn = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_$#-]+/)
    .map((word) => word.toLowerCase());

function countNames(file: string, text: string): number {
  let count = 0;
  const visit = (node: ts.Node): void => {
    const name = ts.isIdentifier(node) || ts.isPrivateIdentifier(node) ? null : ts.getNameOfDeclaration(node as never);
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) {
      if (wordsIn(name.text).some((word) => BANNED_WORDS.has(word))) count += 1;
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return count;
}

it('uses the terms of the glossary, and no folder uses more of the old words than before', () => {
  const found = new Map<string, [number, number]>();
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    const text = readFileSync(`src/${file}`, 'utf8');
    const counts = found.get(folderOf(file)) ?? [0, 0];
    if (!file.endsWith('.spec.ts')) counts[0] += countNames(file, text);
    counts[1] += text.match(BANNED_PHRASES)?.length ?? 0;
    found.set(folderOf(file), counts);
  }
  expect(files.length).toBeGreaterThan(500);
  const above = [...found].filter(([folder, counts]) => counts.some((count, at) => count > (KNOWN[folder]?.[at] ?? 0)));
  expect(Object.fromEntries(above)).toEqual({});
});
