import type { OidcIssuer } from '../github-sim/oidc/oidc-issuer.js';
import type { Repository } from '../github-sim/state/repository.js';
import { runShipgate } from './command-line.js';

/** The answer of the gate, as the command line prints it. */
export interface GateAnswer {
  readonly stage: string;
  readonly isOpen: boolean;
  readonly reasons: readonly { readonly code: string; readonly detail: string; readonly actor: string }[];
}

/** The document of a command with `--json`. */
interface ClientDocument {
  readonly outcome: string;
  readonly error: string | null;
  /** The status of the service, if it refused the request. */
  readonly status?: number;
  readonly stage?: string;
  readonly reasons?: GateAnswer['reasons'];
}

const STATUS_OF: Readonly<Record<string, number>> = { kept: 201, repeated: 200 };

/** The settings of CI: the URL of the service, and the folder with reports that real tools wrote. */
export interface CiSettings {
  readonly serviceUrl: string;
  readonly issuer: OidcIssuer;
  readonly reports: string;
}

export interface Run {
  readonly sha: string;
  readonly runId: number;
  readonly attempt?: number;
}

let lastRunId = 4_000_000_000;
export const nextRunId = (): number => (lastRunId += 1);

/** The jobs of a workflow. They upload reports and request the gate with the command line, each with its identity token. */
export class Ci {
  constructor(
    private readonly ciSettings: CiSettings,
    private readonly repository: Repository,
    private readonly run: Run,
  ) {}

  /** Uploads report files of one job. Returns the status. */
  async upload(version: string, job: string, files: readonly string[], environment = 'staging'): Promise<number> {
    const options = ['--release', version, '--environment', environment, '--allow-committed'];
    const { outcome, status = 0 } = await this.shipgate(job, ['upload', ...files, ...options]);
    return STATUS_OF[outcome] ?? status;
  }

  /** States an artifact of the release, with the attestation of its build. Returns the status. */
  async state(version: string, artifact: string, attestation: string): Promise<number> {
    const options = ['--release', version, '--artifact', artifact, '--attestation', attestation];
    const { outcome, status = 0 } = await this.shipgate('build', ['upload', ...options]);
    return STATUS_OF[outcome] ?? status;
  }

  async gate(version: string, sha?: string): Promise<GateAnswer> {
    const commit = sha === undefined ? ['--any-sha'] : ['--sha', sha];
    const answer = await this.shipgate('gate', ['gate', '--release', version, ...commit]);
    const { outcome, stage = outcome, reasons = [], error, status } = answer;
    if (outcome === 'open' || outcome === 'closed') return { stage, isOpen: outcome === 'open', reasons };
    return { stage, isOpen: false, reasons: [{ code: String(status), detail: error ?? '', actor: 'service' }] };
  }

  private async shipgate(job: string, args: readonly string[]): Promise<ClientDocument> {
    const { reports, serviceUrl } = this.ciSettings;
    const { runId, sha, attempt = 1 } = this.run;
    const { stdout } = await runShipgate([...args, '--json', '--quiet'], {
      cwd: reports,
      env: {
        SHIPGATE_URL: serviceUrl,
        SHIPGATE_ID_TOKEN: await this.token(job),
        GITHUB_ACTIONS: 'true',
        GITHUB_REPOSITORY: this.repository.fullName,
        GITHUB_SERVER_URL: new URL(this.repository.htmlUrl).origin,
        GITHUB_WORKFLOW: 'build and test',
        GITHUB_JOB: job,
        GITHUB_SHA: sha,
        GITHUB_RUN_ID: String(runId),
        GITHUB_RUN_ATTEMPT: String(attempt),
      },
    });
    const document = JSON.parse(stdout) as ClientDocument;
    if (document.error !== null && document.status === undefined) throw new Error(document.error);
    return document;
  }

  /** Returns the token of a job. Creates the job as successful if the run does not have it. */
  private async token(name: string): Promise<string> {
    const { repository, run } = this;
    const { attempt = 1, runId, sha } = run;
    const job = repository.workflowRuns.quietly({ id: runId, sha }).quietly(name, attempt);
    return this.ciSettings.issuer.token({
      aud: 'shipgate',
      repository: repository.fullName,
      repository_id: String(repository.id),
      repository_owner: repository.owner.login,
      repository_owner_id: String(repository.owner.id),
      sha,
      run_id: String(runId),
      run_attempt: String(attempt),
      run_number: String(job.run.number),
      check_run_id: String(job.id),
      event_name: 'push',
    });
  }
}
