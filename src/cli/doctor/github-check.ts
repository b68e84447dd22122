import type { AppCredentials } from '../../config/app-credentials.js';
import type { Clock } from '../../config/clock.js';
import type { Environment } from '../../config/environment.js';
import { isLoopbackUrl } from '../../config/value-parsers.js';
import { isReachableFromGitHub } from '../../features/setup/app-manifest.js';
import {
  isEnterpriseServer,
  missingEvents,
  missingForAttestations,
  missingForFullPermissions,
  missingForPromptUpdates,
  missingForProtectionRule,
  missingPermissions,
} from '../../features/setup/app-permissions.js';
import { verifyCredentials } from '../../features/setup/credentials-check.js';
import type { App, Installation } from '../../github/api/installations.js';
import { GitHubGateway } from '../../github/github-gateway.js';
import { fetchGitHubDate } from '../../github/transport/http-exchange.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { type CheckResult, CheckResults, rootCauseMessage } from './check-result.js';

/** The leeway for the times of identity tokens. GitHub allows 60 s for the app's tokens. */
const FAIL_ABOVE_SECONDS = 30;
const WARN_ABOVE_SECONDS = 5;
const RECENT_DELIVERIES = 20;

/** Compares this machine's clock with GitHub's. With a wrong clock, tokens are rejected here or at GitHub. */
export async function checkClock({ githubApiUrl }: Environment, clock: Clock): Promise<readonly CheckResult[]> {
  const results = new CheckResults('clock');
  let gitHubTime: Date;
  try {
    gitHubTime = await fetchGitHubDate({ apiUrl: githubApiUrl });
  } catch (error) {
    return [
      results.fail(
        `GitHub cannot be reached: ${rootCauseMessage(error)}`,
        'Check GITHUB_API_URL, the proxy and the network.',
      ),
    ];
  }
  // GitHub's times are rounded down to whole seconds.
  const seconds = Math.round((clock.now().getTime() - gitHubTime.getTime()) / 1000 - 0.5);
  const off = `it is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} GitHub's clock`;
  const remedy = "Set this machine's clock by NTP.";
  if (Math.abs(seconds) > FAIL_ABOVE_SECONDS) return [results.fail(off, remedy)];
  return [
    Math.abs(seconds) > WARN_ABOVE_SECONDS ? results.warn(off, remedy) : results.ok("it agrees with GitHub's clock"),
  ];
}

/** Checks the app's credentials and permissions, its installations and its webhook. */
export async function checkGitHubApp(
  environment: Environment,
  credentials: AppCredentials,
  clock: Clock,
): Promise<readonly CheckResult[]> {
  const results = new CheckResults('app credentials');
  let app: App;
  try {
    app = await verifyCredentials(environment, credentials, clock);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return [results.fail(error.message, remedyFor(error, environment))];
  }
  const { githubUrl: webUrl, githubApiUrl: apiUrl } = environment;
  const github = new GitHubGateway({ webUrl, apiUrl, ...credentials }, clock);
  const hasAttestations = !isEnterpriseServer(apiUrl);
  const { value: installations } = await github.installations.list();
  return [
    results.ok(`GitHub accepts them for the app "${app.name}"`),
    ...(app.slug === credentials.slug ? [] : [results.warn(...slugWarning(app, environment))]),
    ...checkPermissions(new CheckResults('app permissions'), app, {
      where: `on ${app.url}, then ask the organization owners to accept the change`,
      hasAttestations,
    }),
    ...checkInstallations(installations, hasAttestations),
    ...(await checkWebhook(environment, github)),
  ];
}

const remedyFor = ({ code }: DomainError, { app }: Environment): string => {
  if (code === 'unavailable') return 'Check GITHUB_URL, GITHUB_API_URL, the proxy and the network.';
  return app === null
    ? 'Set all six GITHUB_APP_* variables. They take precedence over the credentials of the set-up.'
    : 'Set the credentials that the page of the app on GitHub shows.';
};

const slugWarning = ({ slug }: App, { app }: Environment): [string, string] => [
  `the app is now called ${slug}, so the link to install it does not work`,
  app === null
    ? 'Restore its former name, or set its credentials in the environment.'
    : `Set GITHUB_APP_SLUG to ${slug}.`,
];

interface CheckedPlace {
  /** Where permissions and events are added. */
  readonly where: string;
  /** Whether this GitHub has attestations. */
  readonly hasAttestations: boolean;
}

function checkPermissions(
  results: CheckResults,
  { permissions, events }: Pick<App, 'permissions' | 'events'>,
  { where, hasAttestations }: CheckedPlace,
): readonly CheckResult[] {
  const missing = [
    ...missingPermissions(permissions).map((permission) => `the permission ${permission}`),
    ...missingEvents(events).map((event) => `the event ${event}`),
  ];
  const found =
    missing.length === 0
      ? [results.ok(`it has all required permissions and events${describeTier(permissions)}`)]
      : missing.map((name) => results.fail(`${name} is missing`, `Add it ${where}.`));
  return [...found, ...checkOptionalPermissions(results, { permissions, events }, { where, hasAttestations })];
}

/** Warns of missing permissions and events without which the service works with limits. */
function checkOptionalPermissions(
  results: CheckResults,
  { permissions, events }: Pick<App, 'permissions' | 'events'>,
  { where, hasAttestations }: CheckedPlace,
): readonly CheckResult[] {
  const attestations = hasAttestations ? missingForAttestations(permissions) : [];
  const prompt = missingForPromptUpdates(permissions, events);
  const rule = missingForProtectionRule(permissions, events);
  const withoutPermission =
    'is missing: the jobs of CI runs cannot be read, so their names come from the field job of uploads, and the gate does ' +
    'not wait for all jobs of a matrix';
  return [
    ...prompt.permissions.map((name) =>
      results.warn(`the permission ${name} ${withoutPermission}`, `Add it ${where}.`),
    ),
    ...prompt.events.map((name) =>
      results.warn(
        `the event ${name} is missing: only the sync finds ${EVENT_CONTENTS[name] ?? 'what it reports'}`,
        `Add it ${where}.`,
      ),
    ),
    ...attestations.map((name) =>
      results.warn(
        `the permission ${name} is missing: the bundles that GitHub holds are not found, so CI has to upload them`,
        `Add it ${where}.`,
      ),
    ),
    ...[
      ...rule.permissions.map((name) => `the permission ${name}`),
      ...rule.events.map((name) => `the event ${name}`),
    ].map((missing) => results.warn(`${missing} is missing: the protection rule cannot answer`, `Add it ${where}.`)),
  ];
}

/** What the events for prompt updates report. */
const EVENT_CONTENTS: Readonly<Record<string, string>> = {
  label: 'a renamed or deleted label',
  workflow_job: 'the end of a job of a CI run',
  workflow_run: 'the end of a CI run',
};

/** The minimal tier is a valid choice, so it is no warning. */
function describeTier(permissions: App['permissions']): string {
  const beyond = missingForFullPermissions(permissions);
  if (beyond.length === 0) return '';
  return ` of the minimal tier: without ${beyond.join(' and ')}, users set up repositories with their own tokens`;
}

function checkInstallations(installations: readonly Installation[], hasAttestations: boolean): readonly CheckResult[] {
  if (installations.length === 0) {
    return [new CheckResults('installations').warn('the app is not installed', 'Install it in an organization.')];
  }
  return installations.flatMap((installation) => {
    const results = new CheckResults(`installation in ${installation.accountLogin}`);
    if (installation.suspendedAt !== null) {
      return [
        results.warn('it is suspended', "An owner can end the suspension in the organization's settings on GitHub."),
      ];
    }
    return checkPermissions(results, installation, {
      where: "by accepting the app's request in the organization's settings on GitHub",
      hasAttestations,
    });
  });
}

async function checkWebhook(
  { baseUrl, githubUrl }: Environment,
  github: GitHubGateway,
): Promise<readonly CheckResult[]> {
  const results = new CheckResults('webhook');
  if (!isReachableFromGitHub(githubUrl, baseUrl)) {
    const message = `GitHub cannot reach BASE_URL (${baseUrl}), so only the sync finds changes`;
    return [results.warn(message, 'Set a public https address in BASE_URL and in the settings of the app.')];
  }
  const { value: deliveries } = await github.webhookDeliveries.recent();
  const [newest, ...older] = deliveries.slice(0, RECENT_DELIVERIES);
  const transport = checkTransport(results, baseUrl);
  if (!newest)
    return [...transport, results.warn('GitHub has sent no delivery yet', 'Change something in a repository.')];
  const failed = [newest, ...older].filter(({ statusCode }) => statusCode < 200 || statusCode > 299);
  if (failed.length === 0) return [...transport, results.ok(`the last ${older.length + 1} deliveries succeeded`)];
  const last = failed[0] ?? newest;
  const message = `${failed.length} of the last ${older.length + 1} deliveries failed, the latest with ${last.statusCode} ${last.status}`;
  const remedy = `${baseUrl}/api/webhook must be reachable from GitHub and be the webhook address in the settings of the app.`;
  // A later success means that the problem is solved.
  return [...transport, last === newest ? results.fail(message, remedy) : results.warn(message, remedy)];
}

function checkTransport(results: CheckResults, baseUrl: string): readonly CheckResult[] {
  if (baseUrl.startsWith('https:') || isLoopbackUrl(baseUrl)) return [];
  return [
    results.warn(
      `BASE_URL is ${baseUrl}, so sessions and payloads are not encrypted in transit`,
      'Use an https address.',
    ),
  ];
}
