import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MIGRATION = 'NoteReleases9990000000000';

/**
 * The migration of a next version, which must not disturb this one: it adds a column to a table of every request, and
 * an index.
 */
const SOURCE = `
export class ${MIGRATION} {
  async up(runner) {
    await runner.query('alter table release add column note text; create index release_by_note on release (org_id, note)');
  }
  async down() {}
}`;

/** A copy of the build with one more migration, like a next version. */
export class NextVersion {
  /** The name of its migration. */
  readonly migration = MIGRATION;
  readonly folder = mkdtempSync(path.join(tmpdir(), 'shipgate-next-version-'));

  constructor() {
    cpSync('dist', path.join(this.folder, 'dist'), { recursive: true });
    cpSync('package.json', path.join(this.folder, 'package.json'));
    symlinkSync(path.resolve('node_modules'), path.join(this.folder, 'node_modules'));
    writeFileSync(path.join(this.folder, 'dist/migrations/next-version.js'), SOURCE);
    const index = path.join(this.folder, 'dist/migrations/index.js');
    const list = readFileSync(index, 'utf8');
    writeFileSync(
      index,
      `import { ${MIGRATION} } from './next-version.js';\n${list}\nmigrations.push(${MIGRATION});\n`,
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
