import { describe, expect, it } from '@jest/globals';
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

const SOURCES = ['src', 'migrations', 'test', 'web/src', 'scripts', 'bench'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:m?ts|tsx|mjs)$/.test(file))
    .map((file) => ({ file: `${folder}/${file}`, text: readFileSync(`${folder}/${file}`, 'utf8') })),
);

/** Returns the names that are said to be in a source file, "`name` in `file.ts`", but that no file of this name contains. */
function missingNames(file: string): readonly string[] {
  const claims = [...proseOf(file).matchAll(/`(\w+)(?:\(\))?` (?:in|of)\s+`([\w./-]+\.(?:tsx?|mjs))`/g)];
  return claims
    .filter(
      ([, name = '', place = '']) =>
        !SOURCES.some(
          (source) => `/${source.file}`.endsWith(`/${place}`) && new RegExp(String.raw`\b${name}\b`).test(source.text),
        ),
    )
    .map(([claim]) => claim);
}

it.each(DOCUMENTS)('%s links to documents and names files and names that exist', (file) => {
  expect({
    brokenLinks: brokenLinks(file),
    missingFiles: missingFiles(file),
    missingNames: missingNames(file),
  }).toEqual({ brokenLinks: [], missingFiles: [], missingNames: [] });
});

it.each(DOCUMENTS)('%s names programs of the container that exist', (file) => {
  const programs = [...readFileSync(file, 'utf8').matchAll(/dist\/src\/cli\/([\w/-]+)\.js/g)];
  expect(programs.filter(([, name]) => !existsSync(`src/cli/${name}.ts`)).map(([program]) => program)).toEqual([]);
});

/** Returns the scripts and commands that a text tells its reader to run, but that do not exist. */
function missingCommands(text: string, scripts: Readonly<Record<string, string>>): readonly string[] {
  const commands = text.matchAll(/npm run (?:-s )?(?!it\b)([a-z][\w:-]*\w)(?: -- ([a-z][\w-]*))?/g);
  return [...commands]
    .filter(([, script = '', command]) => {
      if (!Object.hasOwn(scripts, script)) return true;
      if (script === 'admin' && command !== undefined) return !existsSync(`src/cli/${command}.ts`);
      return script === 'generate' && command !== undefined && !existsSync(`scripts/generate/${command}.mjs`);
    })
    .map(([found]) => found);
}

it('each command that a document, a message or a workflow names exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const others = ['.github', '.ci', 'deploy', 'docker'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name)),
  );
  const texts = [
    ...SOURCES,
    ...[...DOCUMENTS, ...others].map((file) => ({ file, text: readFileSync(file, 'utf8') })),
    { file: 'package.json', text: Object.values(scripts).join('\n') },
  ];
  const missing = texts
    .map(({ file, text }) => ({ file, commands: missingCommands(text, scripts) }))
    .filter(({ commands }) => commands.length > 0);
  expect(missing).toEqual([]);
});

/** Returns the names in backquotes. */
const readNames = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Returns the source files that import the package. For the packages of the service, specs do not count. */
function importsOf(name: string): readonly string[] {
  const imports = new RegExp(`(?:from|import) ?\\(?'${name.replace('*', "[^']+")}(?:/[^']*)?'`);
  const isCounted = (file: string): boolean =>
    name === '@jest/globals'
      ? file.startsWith('test/')
      : /^(?:src|migrations)\//.test(file) && !file.endsWith('.spec.ts');
  return SOURCES.filter(({ file, text }) => isCounted(file) && imports.test(text)).map(({ file }) => file);
}

describe('the packages in docs/architecture.md', () => {
  const architecture = readFileSync('docs/architecture.md', 'utf8');
  const rows = architecture
    .slice(architecture.indexOf('## The packages'), architecture.indexOf('Packages that were'))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|'))
    .map(([, packages = '', , where = '']) => ({ packages: readNames(packages), where: where.trim() }));

  it('contain each package that the service needs', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly dependencies: object };
    const named = rows.flatMap(({ packages }) => packages);
    const isNamed = (name: string): boolean =>
      named.includes(name) || (name.startsWith('@opentelemetry/') && named.includes('@opentelemetry/*'));
    expect(Object.keys(dependencies).filter((name) => !isNamed(name))).toEqual([]);
  });

  it('are imported in each place that is named, and where only places are named, nowhere else', () => {
    expect(rows.length).toBeGreaterThan(30);
    for (const { packages, where } of rows.filter((row) => !row.where.startsWith('all except'))) {
      const places = readNames(where).map((place) => (/^(?:migrations|test)\//.test(place) ? place : `src/${place}`));
      const isComplete = where.replaceAll(/`[^`]*`|[, ]/g, '') === '';
      for (const name of packages) {
        const importing = importsOf(name);
        const lacking = places.filter((place) => !importing.some((file) => file.startsWith(place)));
        const unnamed = isComplete ? importing.filter((file) => !places.some((place) => file.startsWith(place))) : [];
        expect({ name, lacking, unnamed }).toEqual({ name, lacking: [], unnamed: [] });
      }
    }
  });
});

describe('a package of a public registry', () => {
  /** A command that downloads the package by its name, with any options before it. */
  const BY_NAME =
    /\b(?:npx|npm (?:i|install|exec|add)|pnpm (?:add|dlx)|yarn (?:add|dlx))(?: -[-\w=]+)* @?shipgate\b(?!\.tgz)/g;
  const TEXTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'package.json'].concat(
    ['docs', 'cli', 'src', 'web/src', 'action', 'integrations', 'deploy', 'docker', 'scripts', '.github'].flatMap(
      (folder) =>
        readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((file) => /\.(?:md|ts|tsx|mjs|json|ya?ml|groovy|txt|tpl)$/.test(file))
          .map((file) => `${folder}/${file}`),
    ),
  );

  it('is recognized', () => {
    for (const text of ['npx shipgate', 'npm i -g shipgate', 'npx --yes --ignore-scripts shipgate@0.1.0']) {
      expect([text, text.match(BY_NAME)?.length]).toEqual([text, 1]);
    }
    expect('npm install --no-save "$SHIPGATE_URL/cli/shipgate.tgz"'.match(BY_NAME)).toBeNull();
  });

  it('is never named, because its name is not ours and the command holds a secret', () => {
    expect(TEXTS.filter((file) => readFileSync(file, 'utf8').match(BY_NAME))).toEqual([]);
  });
});
