// Adds the digests of new migrations to migrations/digests.json. It never changes or removes one, because a merged migration has run.
import '../../test/support/typescript.mjs';
import { readFileSync, writeFileSync } from 'node:fs';

const { migrations } = await import('../../migrations/index.ts');
const { digestMigrations } = await import('../../src/database/migration-status.ts');

const file = new URL('../../migrations/digests.json', import.meta.url);
const written = JSON.parse(readFileSync(file, 'utf8'));
const digests = await digestMigrations(migrations);
const broken = Object.keys(written).filter((name) => written[name] !== digests.get(name));
if (broken.length > 0) {
  process.stderr.write(`These migrations were merged before. Restore them: ${broken.join(', ')}\n`);
  process.exitCode = 1;
} else {
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(digests), null, 2)}\n`);
}
