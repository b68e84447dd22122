import type { AppCredentials } from '../../config/app-credentials.js';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { isLoopbackUrl } from '../../config/value-parsers.js';
import { isReachableFromGitHub } from '../../features/setup/app-manifest.js';
import {
  missingEvents,
  missingForFullTier,
  missingOfLate,
  missingPermissions,
} from '../../features/setup/app-permissions.js';
import { verifyCredentials } from '../../features/setup/credentials-check.js';
import type { App, Installation } from '../../github/api/installations.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { fetchGitHubDate } from '../../github/transport/github-date.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { type CheckResult, CheckResults, rootCauseMessage } from './check-result.js';

/** The leeway of an identity token's times; GitHub allows an app's own tokens 60 s. */
const MOST_SECONDS_OFF = 30;
const SECONDS_TO_NOTE = 5;
const RECENT_DELIVERIES = 20;

/** How far our clock is from the host's: tokens that are signed or checked by a wrong one are refused. */
export async function examineClock({ githubApiUrl }: Environment, clock: Clock): Promise<readonly CheckResult[]> {
  const findings = new CheckResults('clock');
  let shown: Date;
  try {
    shown = await fetchGitHubDate({ apiUrl: githubApiUrl });
  } catch (error) {
    return [
      findings.fail(
        `GitHub cannot be asked: ${rootCauseMessage(error)}`,
        'See GITHUB_API_URL, the proxy and the network.',
      ),
    ];
  }
  // The host dates its answers in whole seconds, rounded down.
  const seconds = Math.round((clock.now().getTime() - shown.getTime()) / 1000 - 0.5);
  const off = `it is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} GitHub's`;
  const remedy = "Have this machine's clock set by NTP.";
  if (Math.abs(seconds) > MOST_SECONDS_OFF) return [findings.fail(off, remedy)];
  return [Math.abs(seconds) > SECONDS_TO_NOTE ? findings.warn(off, remedy) : findings.ok("it is GitHub's")];
}

/** The app as GitHub has it, the organizations that it is installed in, and its webhook. */
export async function checkGitHubApp(
  environment: Environment,
  credentials: AppCredentials,
  clock: Clock,
): Promise<readonly CheckResult[]> {
  const findings = new CheckResults('app credentials');
  let app: App;
  try {
    app = await verifyCredentials(environment, credentials, clock);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [findings.fail(error.message, remedyFor(error, environment))];
  }
  const { githubUrl: webUrl, githubApiUrl: apiUrl } = environment;
  const github = new GitHubGateway({ webUrl, apiUrl, ...credentials }, clock);
  const { value: installations } = await github.installations.list();
  return [
    findings.ok(`GitHub takes them for those of "${app.name}"`),
    ...(app.slug === credentials.slug ? [] : [findings.warn(...otherSlug(app, environment))]),
    ...examineNeeds(new CheckResults('app permissions'), app, `on ${app.url}, then have owners accept the change`),
    ...examineInstallations(installations),
    ...(await examineWebhook(environment, github)),
  ];
}

const remedyFor = ({ code }: DomainError, { app }: Environment): string => {
  if (code === 'unavailable') return 'See GITHUB_URL, GITHUB_API_URL, the proxy and the network.';
  return app === null
    ? 'Give all six GITHUB_APP_* credentials in the environment: they outweigh those of the set-up.'
    : 'Give the credentials as the page of the app on GitHub shows them.';
};

const otherSlug = ({ slug }: App, { app }: Environment): [string, string] => [
  `the app is called ${slug} by now, so the link to install it leads nowhere`,
  app === null ? `Call it as before, or give its credentials in the environment.` : `Set GITHUB_APP_SLUG to ${slug}.`,
];

function examineNeeds(
  findings: CheckResults,
  { permissions, events }: Pick<App, 'permissions' | 'events'>,
  where: string,
): readonly CheckResult[] {
  const lacking = [
    ...missingPermissions(permissions).map((permission) => `the permission ${permission}`),
    ...missingEvents(events).map((event) => `the event ${event}`),
  ];
  const found =
    lacking.length === 0
      ? [findings.ok(`all permissions and events that are needed${tierOf(permissions)}`)]
      : lacking.map((what) => findings.fail(`${what} is missing`, `Add it ${where}.`));
  return [...found, ...examineOfLate(findings, { permissions, events }, where)];
}

/** Without these the service works as it did before it asked for them. */
function examineOfLate(
  findings: CheckResults,
  { permissions, events }: Pick<App, 'permissions' | 'events'>,
  where: string,
): readonly CheckResult[] {
  const missing = missingOfLate(permissions, events);
  const withoutPermission =
    'is missing: GitHub does not tell the jobs of CI runs, so their names come from the field job of uploads, and it is not ' +
    'judged whether all jobs of a matrix have ended';
  const untold = (event: string): string =>
    event === 'label' ? 'a label was renamed or deleted' : 'a job of a CI run has ended';
  return [
    ...missing.permissions.map((name) =>
      findings.warn(`the permission ${name} ${withoutPermission}`, `Add it ${where}.`),
    ),
    ...missing.events.map((name) =>
      findings.warn(`the event ${name} is missing: that ${untold(name)} is seen by the sync only`, `Add it ${where}.`),
    ),
  ];
}

/** The minimal tier is a choice, and no fault. */
function tierOf(permissions: App['permissions']): string {
  const beyond = missingForFullTier(permissions);
  if (beyond.length === 0) return '';
  return `, in the minimal tier: without ${beyond.join(' and ')} people give a token of theirs to set repositories up`;
}

function examineInstallations(installations: readonly Installation[]): readonly CheckResult[] {
  if (installations.length === 0) {
    return [new CheckResults('installations').warn('the app is installed nowhere', 'Install it in an organization.')];
  }
  return installations.flatMap((installation) => {
    const findings = new CheckResults(`installation in ${installation.accountLogin}`);
    if (installation.suspendedAt !== null) {
      return [findings.warn('it is suspended', "An owner lifts that in the organization's settings on GitHub.")];
    }
    return examineNeeds(
      findings,
      installation,
      "by accepting the app's request in the organization's settings on GitHub",
    );
  });
}

async function examineWebhook(
  { baseUrl, githubUrl }: Environment,
  github: GitHubGateway,
): Promise<readonly CheckResult[]> {
  const findings = new CheckResults('webhook');
  if (!isReachableFromGitHub(githubUrl, baseUrl)) {
    const says = `BASE_URL is ${baseUrl}, which GitHub cannot reach: changes are seen by the sync only`;
    return [findings.warn(says, 'Set BASE_URL to a public https address, and the same in the settings of the app.')];
  }
  const { value: deliveries } = await github.hookDeliveries.recent();
  const [newest, ...older] = deliveries.slice(0, RECENT_DELIVERIES);
  const transport = examineTransport(findings, baseUrl);
  if (!newest)
    return [...transport, findings.warn('GitHub has delivered nothing yet', 'Change something that it tells of.')];
  const failed = [newest, ...older].filter(({ statusCode }) => statusCode < 200 || statusCode > 299);
  if (failed.length === 0) return [...transport, findings.ok(`the last ${older.length + 1} deliveries arrived`)];
  const last = failed[0] ?? newest;
  const says = `${failed.length} of the last ${older.length + 1} deliveries failed, at last with ${last.statusCode} ${last.status}`;
  const remedy = `${baseUrl}/api/webhook must be reachable from GitHub, and be the address in the settings of the app.`;
  // What failed and was then followed by one that arrived was mended already.
  return [...transport, last === newest ? findings.fail(says, remedy) : findings.warn(says, remedy)];
}

function examineTransport(findings: CheckResults, baseUrl: string): readonly CheckResult[] {
  if (baseUrl.startsWith('https:') || isLoopbackUrl(baseUrl)) return [];
  return [findings.warn(`BASE_URL is ${baseUrl}: sessions and payloads travel in the clear`, 'Serve it under https.')];
}
