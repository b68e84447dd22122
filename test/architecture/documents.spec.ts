import { expect, it } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const DOCUMENTS = [
  ...readdirSync('.'),
  ...['docs', 'test', '.github'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  ),
].filter((file) => file.endsWith('.md'));

/** Returns the text without code blocks, which may contain brackets and paths of other repositories. */
const proseOf = (file: string): string => readFileSync(file, 'utf8').replaceAll(/^```.*?^```/gms, '');

/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (file: string): readonly string[] =>
  [...proseOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading.trim()));

/** Returns the links to files of this repository that do not exist. */
function brokenLinks(file: string): readonly string[] {
  const links = [...proseOf(file).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    const [name = '', anchor = ''] = link.split('#');
    const target = name === '' ? file : path.join(path.dirname(file), name);
    return !existsSync(target) || (anchor !== '' && target.endsWith('.md') && !anchorsOf(target).includes(anchor));
  });
}

/** Returns the paths of source files in backquotes that do not exist. */
const missingFiles = (file: string): readonly string[] =>
  [...proseOf(file).matchAll(/`((?:src|test|migrations|bench|scripts|docs)\/[\w./-]*\w)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !existsSync(name));

it.each(DOCUMENTS)('%s links to documents and names files that exist', (file) => {
  expect({ brokenLinks: brokenLinks(file), missingFiles: missingFiles(file) }).toEqual({
    brokenLinks: [],
    missingFiles: [],
  });
});

it.each(DOCUMENTS)('%s names programs of the container that exist', (file) => {
  const programs = [...readFileSync(file, 'utf8').matchAll(/dist\/src\/cli\/([\w/-]+)\.js/g)];
  expect(programs.filter(([, name]) => !existsSync(`src/cli/${name}.ts`)).map(([program]) => program)).toEqual([]);
});

it('docs/guides/operating.md says what each command of the guides is in a container', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const guides = readdirSync('docs/guides').map((file) => readFileSync(`docs/guides/${file}`, 'utf8'));
  const commands = Object.keys(scripts).filter((name) =>
    guides.some((guide) => new RegExp(`npm run ${name}(?![\\w:-])`).test(guide)),
  );
  const programs = commands.filter((name) => scripts[name]?.includes('node dist/'));
  const exceptions = [...readFileSync('docs/guides/operating.md', 'utf8').matchAll(/^\| `npm run ([\w:-]+)` /gm)];
  expect(exceptions.map(([, name = '']) => name).toSorted()).toEqual(
    programs.filter((name) => !scripts[name]?.includes(`node dist/src/cli/${name}.js`)).toSorted(),
  );
});

it('docs/architecture.md says what each package does here', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly dependencies: object };
  const architecture = readFileSync('docs/architecture.md', 'utf8');
  const table = architecture.slice(architecture.indexOf('## The packages'), architecture.indexOf('Packages that were'));
  const named = (name: string): boolean =>
    table.includes(`\`${name}\``) || (name.startsWith('@opentelemetry/') && table.includes('`@opentelemetry/*`'));
  expect(Object.keys(dependencies).filter((name) => !named(name))).toEqual([]);
});
