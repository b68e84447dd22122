import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { Clock } from '../config/clock.js';
import { withOwnerUrl } from '../database/dump/owner-access.js';
import { UserErasure } from '../database/erasure/user-erasure.js';
import { type RowCounts, WorkspaceErasure } from '../database/erasure/workspace-erasure.js';
import { ObjectStore } from '../features/evidence/storage/s3-report-store.js';
import { createLogger } from '../observability/logger.js';
import {
  exitWithUsage,
  exitWithUsageError,
  printFailure,
  readCommandLine,
  readServiceEnvironment,
  toConnectionSettings,
  withServiceDatabase,
} from './commands/command-runtime.js';
import { countUser, eraseUser, eraseWorkspace, findObstacle, GRACE_DAYS } from './commands/erase-command.js';

const USAGE = `Erases a workspace or a user. Prints what would be deleted, and deletes nothing without --confirm.

  npm run admin -- erase --workspace LOGIN [--confirm LOGIN --receipt FILE] [--grace-days N]
  npm run admin -- erase --user GITHUB_ID [--confirm GITHUB_ID --receipt FILE]

  --workspace   a workspace whose app was uninstalled at least ${GRACE_DAYS} days ago: its rows, report files, jobs and deliveries, and
                the accounts of users who are in no other workspace
  --user        the account, sessions, memberships, keys and invites of a user; records of releases and the audit log stay
  --confirm     erases; must be the same login or id
  --receipt     a new file for the receipt: a JSON document with counts and digests, without any of the data
  --grace-days  another number of days, for example 0 on request of the organization's owners

Export a workspace first with "npm run admin -- backup --workspace LOGIN --to …". An interrupted erasure is continued by the same
command with the login erased-… that it printed. It uses the service's environment. The service may be running.
`;

const { values } = readCommandLine(USAGE, {
  options: {
    workspace: { type: 'string' },
    user: { type: 'string' },
    confirm: { type: 'string' },
    receipt: { type: 'string' },
    'grace-days': { type: 'string', default: String(GRACE_DAYS) },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) exitWithUsage(USAGE);
const { confirm, receipt } = values;
const target = values.workspace ?? values.user;
if (!target || (values.workspace !== undefined && values.user !== undefined)) {
  exitWithUsageError(USAGE, 'Name a --workspace or a --user.');
}
if (values.user !== undefined && !/^[1-9]\d{0,14}$/.test(values.user)) {
  exitWithUsageError(USAGE, '--user must be the numeric id of a GitHub user.');
}
if (confirm !== undefined && confirm !== target)
  exitWithUsageError(USAGE, '--confirm must name the workspace or the user.');
if (confirm !== undefined && !receipt) exitWithUsageError(USAGE, '--receipt is required with --confirm.');
if (!/^\d{1,4}$/.test(values['grace-days'])) exitWithUsageError(USAGE, '--grace-days must be a whole number of days.');

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printRows = (rows: RowCounts, what = 'rows'): void => {
  for (const [table, count] of Object.entries(rows)) print(`${table}  ${count} ${what}`);
};

/** Creates the file of the receipt before anything is deleted, so that the receipt can be stored. */
async function withReceipt(file: string, work: () => Promise<object>): Promise<void> {
  writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  writeFileSync(file, `${JSON.stringify(await work(), null, 2)}\n`);
  print(`It is erased. ${file} is the receipt.`);
}

async function eraseNamedWorkspace(erasure: WorkspaceErasure, login: string): Promise<void> {
  const workspace = await erasure.find(login);
  if (workspace === null) throw new Error(`There is no workspace named "${login}".`);
  const now = new Clock().now();
  const obstacle = findObstacle(workspace, now, Number(values['grace-days']));
  if (obstacle !== null) throw new Error(obstacle);
  if (confirm === undefined || !receipt) {
    printRows(await erasure.count(workspace.orgId));
    print(`Nothing was deleted. Add --confirm ${login} --receipt FILE to erase it.`);
    return;
  }
  const objects = new ObjectStore(createLogger('silent'));
  try {
    print(`If this is interrupted, continue with --workspace erased-${workspace.orgId.slice(0, 8)}.`);
    await withReceipt(receipt, () =>
      eraseWorkspace(erasure, workspace, { objects, storage: environment.storage, now }),
    );
  } finally {
    await objects.onApplicationShutdown();
  }
}

async function eraseUserWithId(erasure: UserErasure, userId: number): Promise<void> {
  if (confirm === undefined || !receipt) {
    const { rows, records } = await countUser(erasure);
    printRows(rows);
    printRows(records, 'records name the user and stay');
    print(`Nothing was deleted. Add --confirm ${userId} --receipt FILE to erase the user.`);
    return;
  }
  await withServiceDatabase(environment, { migrates: false }, (database) =>
    withReceipt(receipt, () => eraseUser(erasure, database, userId, new Clock())),
  );
}

const environment = readServiceEnvironment();
try {
  await withOwnerUrl(toConnectionSettings(environment), (url) =>
    values.user === undefined
      ? WorkspaceErasure.open(url, (erasure) => eraseNamedWorkspace(erasure, target))
      : UserErasure.open(url, Number(values.user), (erasure) => eraseUserWithId(erasure, Number(values.user))),
  );
} catch (error) {
  printFailure(error);
}
