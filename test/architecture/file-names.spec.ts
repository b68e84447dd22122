import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts'))
  .map((name) => `src/${name}`);

const PROVIDER = /^@(?:Injectable|Controller)\((?:.*\)\n)(?:@.*\n)*export (?:abstract )?class (?<name>\w+)/gm;

/** Files that do not follow the rule yet. No file may be added. */
const EXCEPTIONS = [
  'src/auth/credential.strategies.ts',
  'src/auth/rate-limit-key.ts',
  'src/features/evidence/storage/s3-report-store.ts',
  'src/github/github-settings.ts',
];

/** Imports by which a class reserves quota, appends to a log or enqueues jobs. */
const FOLLOW_UP =
  /from '(?<path>.*\/(?:jobs|audit-log|storage-quota|repository-quota)\.service|.*\/events\.repository)\.js'/g;

const ERROR_FACTORY = /^(?<exported>export )?(?:const|function) (?<name>\w+)(?: = )?\([^()]*\): DomainError\b/gm;

/** Returns the file name of a class without its extension: dots and dashes are equal. */
const toFileName = (name: string): string =>
  name
    .replace('GitHub', 'Github')
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .toLowerCase();

/** Lists the providers of a source that are not the only one of their file, or that have another name than their file. */
function misplaced(file: string, source: string): readonly string[] {
  const names = [...source.matchAll(PROVIDER)].map(({ groups }) => groups?.['name'] ?? '');
  const expected = basename(file, '.ts').replaceAll('.', '-');
  return names.filter((name) => names.length > 1 || toFileName(name) !== expected);
}

const followUps = (source: string): readonly string[] =>
  [...source.matchAll(FOLLOW_UP)].map(({ groups }) => basename(groups?.['path'] ?? ''));

/** Lists the error factories that belong in `*.errors.ts`: exported ones, and those of a file with more than one. */
function errorFactories(source: string): readonly string[] {
  const found = [...source.matchAll(ERROR_FACTORY)].flatMap(({ groups }) => (groups ? [groups] : []));
  return found.filter(({ exported }) => exported || found.length > 1).map(({ name }) => name ?? '');
}

describe('files', () => {
  it('have the name of their only provider', () => {
    const found = SOURCES.filter((file) => !EXCEPTIONS.includes(file)).flatMap((file) =>
      misplaced(file, readFileSync(file, 'utf8')).map((name) => `${file}: ${name}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    ['src/a/gate.service.ts', '@Injectable()\nexport class GateService {}', []],
    ['src/a/gate.service.ts', '@Injectable()\nexport class Gate {}', ['Gate']],
    [
      'src/a/a.service.ts',
      '@Injectable()\nexport class AService {}\n@Injectable()\nexport class B {}',
      ['AService', 'B'],
    ],
  ])('are checked: %s with %j', (file, source, expected) => {
    expect(misplaced(file, source)).toEqual(expected);
  });

  it('of repositories only store: their services say what follows', () => {
    const found = SOURCES.filter((file) => file.endsWith('.repository.ts')).flatMap((file) =>
      followUps(readFileSync(file, 'utf8')).map((imported) => `${file}: ${imported}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    [`import { JobsService } from '../../jobs/jobs.service.js';`, ['jobs.service']],
    [`import { EventsRepository } from '../events/events.repository.js';`, ['events.repository']],
    [`import { Clock } from '../config/clock.js';`, []],
  ])('of repositories are checked: %s', (source, expected) => {
    expect(followUps(source)).toEqual(expected);
  });

  it('named errors have the error factories that are shared or many', () => {
    const found = SOURCES.filter((file) => !file.endsWith('.errors.ts') && !file.startsWith('src/http/')).flatMap(
      (file) => errorFactories(readFileSync(file, 'utf8')).map((name) => `${file}: ${name}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    [`export const notFound = (): DomainError => new DomainError('not_found', '');`, ['notFound']],
    ['const gone = (at: Date): DomainError =>\nfunction late(): DomainError {', ['gone', 'late']],
    ['const gone = (at: Date): DomainError =>', []],
  ])('are checked for error factories: %j', (source, expected) => {
    expect(errorFactories(source)).toEqual(expected);
  });
});
