import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { migrations } from '../../migrations/index.js';
import { digestMigrations } from '../../src/database/migration-status.js';

const WRITTEN = JSON.parse(readFileSync(new URL('../../migrations/digests.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;

it('leaves every merged migration unchanged, with its name', async () => {
  const digests = await digestMigrations(migrations);
  const broken = Object.keys(WRITTEN).filter((name) => WRITTEN[name] !== digests.get(name));
  expect({ broken, remedy: 'Restore them, and add another migration.' }).toMatchObject({ broken: [] });
});

it('has the digest of every migration', async () => {
  const missing = [...(await digestMigrations(migrations)).keys()].filter((name) => !(name in WRITTEN));
  expect({ missing, remedy: 'Run `npm run generate -- migration-digests`.' }).toMatchObject({ missing: [] });
});

it('lists the migrations in the order of their times', () => {
  const times = migrations.map(({ name }) => Number(/\d{13}$/.exec(name)?.[0]));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
});
