import { beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The failures of this test name the rule and where it is explained. */
const HELP = 'Use a term of docs/glossary.md. CONTRIBUTING.md, "Names and words", explains this check.';
/** Words that no declared name, file name or folder name may contain; `docs/glossary.md` has the terms to use. */
const BANNED_NAMES = new Set(
  [
    'tell told tells remember forget forgets forgotten bury wipe doubt doubts doubted judge judges judged judgement settle',
    'settles settled pursue pursuit pursuits insist hushed standing standings piece pieces card cards roll rolls person',
    'people whoever somebody nobody ground crew recorder refusal tally custody scene scenes pillar pillars canary canaries',
    'fate fates refusals untold',
  ].flatMap((line) => line.split(' ')),
);
/** Phrases that no comment, message or title may contain. */
const BANNED_PHRASES =
  /\b(?:whoever|somebody|nobody|thought over|told of|(?:the|code) host|without a word|has no room|stands? twice|lies at|slept|seams?)\b/gi;
/**
 * Words that no title of a test, message or API description may contain. The list is shorter than the one for names, because a
 * sentence needs ordinary words such as "keep", "look", "question", "word" and "people". These have no ordinary use here.
 */
const BANNED_IN_SENTENCES =
  /\b(?:whoever|whomever|somebody|nobody|anybody|everybody|thought over|told|doubt(?:s|ed|ful)?|hushed|(?:the|code) hosts?|tall(?:y|ies)|custody|roll calls?|pursu(?:e|es|ed|its?)|bur(?:y|ied)|crew|refusals?|judges?|judged|forgets?|forgotten|unforeseen|standings?|untold|without a word|has no room|stands? twice|lies at|slept|seams?)\b/i;

/** Names that answers of the API fix. */
const FIXED_NAMES = new Set(['pieces', 'standing']);

const COMMENTS = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm;

interface Finding {
  readonly file: string;
  readonly text: string;
}

const listFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?tsx?$|\.mjs$/.test(file) && !file.endsWith('.gen.ts'))
    .map((file) => `${folder}/${file}`);

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

const isTest = (file: string): boolean => file.startsWith('test/') || file.endsWith('.spec.ts');

/** "two-person" is a term of the glossary, which overrides use. */
const isBannedName = (name: string): boolean =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/two[\s_-]person/g, 'override')
    .split(/[^a-z0-9]+/)
    .some((part) => BANNED_NAMES.has(part));

/** The name of a prepared statement, which Postgres shows to the operator. Null if the node is none. */
const statementNameOf = (node: ts.Node): string | null =>
  ts.isCallExpression(node) &&
  ts.isPropertyAccessExpression(node.expression) &&
  /^query(?:Prepared|WithoutTenant)$/.test(node.expression.name.text) &&
  node.arguments[0] &&
  ts.isStringLiteral(node.arguments[0])
    ? node.arguments[0].text
    : null;

/** The name that a node declares. A name that the node only reads or imports is checked at its declaration. */
function nameOf(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node)) return null;
  // The file or the package that exports it declares it.
  if (ts.isImportSpecifier(node) && !node.propertyName) return null;
  const { name } = node as Partial<ts.NamedDeclaration>;
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name.text : null;
}

/**
 * In a test, object literals and types describe data of the API, of the database and of migrations, so their names are
 * fixed elsewhere.
 */
const isNameOfData = (node: ts.Node): boolean =>
  ts.isPropertyAssignment(node) || ts.isPropertySignature(node) || ts.isImportSpecifier(node);

function findNames(source: ts.SourceFile): readonly string[] {
  const names: string[] = [];
  const inTest = isTest(source.fileName);
  const visit = (node: ts.Node): void => {
    const name = inTest && isNameOfData(node) ? null : (statementNameOf(node) ?? nameOf(node));
    if (name !== null && isBannedName(name) && !FIXED_NAMES.has(name)) names.push(name);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** A function is named by its verb: `toStatus`, not `statusOf`. Functions that return a boolean read as facts: `isIssueOf`. */
function findNounFunctions(source: ts.SourceFile): readonly string[] {
  if (isTest(source.fileName)) return [];
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const isFunction =
      ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node) ||
      (ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isArrowFunction(node.initializer));
    const name = isFunction ? nameOf(node) : null;
    if (name !== null && /^(?!is|has|can)\w+Of$/.test(name)) names.push(name);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

const isTitleOf = (call: ts.CallExpression): boolean => /^(?:describe|it|test)\b/.test(call.expression.getText());

/** Decorators of the API description, errors and lines of the log. Decorators of entities name columns. */
const holdsMessages = (node: ts.Node): boolean =>
  (ts.isDecorator(node) && !/^@(?:Entity|Column|PrimaryColumn|Index|JoinColumn)\b/.test(node.getText())) ||
  (ts.isNewExpression(node) && /(?:Error|Exception)$/.test(node.expression.getText())) ||
  (ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    /^(?:log|debug|verbose|info|warn|error|fatal)$/.test(node.expression.name.text));

const isText = (node: ts.Node): node is ts.LiteralLikeNode =>
  ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node);

/** Tables of tests also contain data. A text without a space or with several lines is no sentence. */
const isBannedSentence = (text: string): boolean =>
  text.includes(' ') && !text.includes('\n') && BANNED_IN_SENTENCES.test(text);

/** Titles and cases of tests, API descriptions, messages of errors and lines of the log that contain a banned word. */
function findSentences(source: ts.SourceFile): readonly string[] {
  const sentences: string[] = [];
  const inTest = isTest(source.fileName);
  const visit = (node: ts.Node, isSentence: boolean): void => {
    if (isSentence && isText(node) && isBannedSentence(node.text)) sentences.push(node.text);
    if (inTest && ts.isCallExpression(node) && isTitleOf(node)) {
      for (const [index, argument] of node.arguments.entries()) visit(argument, index === 0);
      visit(node.expression, false);
    } else {
      const areMessages = isSentence || holdsMessages(node);
      ts.forEachChild(node, (child) => visit(child, areMessages));
    }
  };
  // Every text of the dashboard is in these files.
  visit(source, source.fileName.startsWith('web/src/texts/'));
  return sentences;
}

/** Tests use the words as data, such as a login, so only their comments count. `nobody` is a user of the operating system. */
function findPhrases({ fileName, text }: ts.SourceFile): readonly string[] {
  if (fileName === 'test/architecture/language.spec.ts') return [];
  const texts = isTest(fileName)
    ? [...text.matchAll(COMMENTS)].map(([comment]) => comment)
    : [text.replaceAll("'nobody'", '')];
  return texts.flatMap((part) => part.match(BANNED_PHRASES) ?? []);
}

const SOURCES = ['src', 'web/src', 'bench', 'scripts', 'integrations', 'docker'].flatMap(listFiles);
/** The documents without the license. Lines of code are left out, because they may contain data. */
const DOCUMENTS = ['.', 'docs', 'deploy', 'integrations', 'action'].flatMap((folder) =>
  readdirSync(folder, { recursive: folder !== '.', encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file)),
);
const CODE = /```[\s\S]*?```|`[^`]*`/g;
const TESTS = listFiles('test').filter((file) => !file.startsWith('test/fixtures/'));
let parsed: readonly ts.SourceFile[];

beforeAll(() => {
  parsed = [...SOURCES, ...TESTS].map(parse);
});

/** Fails with the findings and the place of the rule. */
const expectNone = (findings: readonly unknown[]): void => {
  expect({ help: HELP, findings }).toEqual({ help: HELP, findings: [] });
};

const findAll = (find: (source: ts.SourceFile) => readonly string[]): readonly Finding[] =>
  parsed.flatMap((source) => find(source).map((text) => ({ file: source.fileName, text })));

describe('the language of the sources', () => {
  it('has no banned word in a name that it declares', () => {
    expect(SOURCES.length).toBeGreaterThan(500);
    expectNone(findAll(findNames));
  });

  it('names no function by a noun and "of"', () => {
    expectNone(findAll(findNounFunctions));
  });

  it('has no banned word in the name of a file or folder', () => {
    expect(TESTS.length).toBeGreaterThan(300);
    expectNone([...SOURCES, ...TESTS].filter(isBannedName));
  });

  it('has no banned phrase in a comment or, outside of tests, in any text', () => {
    expect(findAll((source) => [...source.text.matchAll(COMMENTS)].map(([comment]) => comment)).length).toBeGreaterThan(
      5_000,
    );
    expectNone(findAll(findPhrases));
  });

  it('has no banned word in a title of a test, an API description, an error, a line of the log or a text of the dashboard', () => {
    expectNone(findAll(findSentences));
  });

  it('has no banned word in a document', () => {
    expect(DOCUMENTS.length).toBeGreaterThan(50);
    const findings = DOCUMENTS.flatMap((file) =>
      readFileSync(file, 'utf8')
        .replaceAll(CODE, '')
        .split('\n')
        .filter((line) => BANNED_IN_SENTENCES.test(line))
        .map((text) => ({ file, text })),
    );
    expectNone(findings);
  });
});
