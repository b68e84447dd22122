import type { OidcIssuer } from '../github-sim/oidc/oidc-issuer.js';
import type { Repository } from '../github-sim/state/repository.js';

/** The issuer of the tokens of a run, and the URL of the service. A `TestEnvironment` has both. */
interface CiTarget {
  readonly issuer: Pick<OidcIssuer, 'token'>;
  readonly app: { getUrl(): Promise<string> };
}

export interface GateAnswer {
  readonly version: string;
  readonly current_stage: string;
  readonly evidence_pr_approved: boolean;
  readonly tests_passing: boolean;
  readonly can_deploy: boolean;
  readonly candidate_sha?: string | null;
  readonly decision_id?: string | null;
  readonly open_until?: string | null;
  readonly reasons?: readonly { readonly code: string; readonly detail: string; readonly source?: string }[];
}

export interface RunSpec {
  readonly sha: string;
  readonly runId?: number;
  readonly attempt?: number;
  readonly event?: string;
  /** The environment of the job. */
  readonly environment?: string;
  /** The name of the job that sends the requests. It is created as successful unless the run has it already. */
  readonly job?: string;
}

let runs = 1_000;

/** A JUnit file with this many tests, of which some can fail. */
export function junit(tests: number, failed = 0): string {
  const cases = Array.from({ length: tests }, (_, index) =>
    index < failed
      ? `<testcase classname="c" name="t${index}"><failure message="no"/></testcase>`
      : `<testcase classname="c" name="t${index}"/>`,
  );
  return `<testsuites><testsuite name="s" tests="${tests}" failures="${failed}">${cases.join('')}</testsuite></testsuites>`;
}

/** A CI run that requests a token from the issuer and calls the service over HTTP, like a workflow. */
export class CiRunClient {
  private readonly runId: number;

  constructor(
    private readonly env: CiTarget,
    private readonly repository: Repository,
    private readonly spec: RunSpec,
  ) {
    this.runId = spec.runId ?? (runs += 1);
  }

  /** Returns a token of a job. GitHub has its run and, by its name, the job. */
  async token(name = this.spec.job ?? 'test'): Promise<string> {
    const { repository, spec } = this;
    const { event = 'push', attempt = 1, sha } = spec;
    const run = repository.workflowRuns.quietly({ id: this.runId, sha, event });
    return this.env.issuer.token({
      aud: 'shipgate',
      repository: repository.fullName,
      repository_id: String(repository.id),
      repository_owner: repository.owner.login,
      repository_owner_id: String(repository.owner.id),
      sha: spec.sha,
      run_id: String(this.runId),
      run_attempt: String(attempt),
      run_number: String(run.number),
      check_run_id: String(run.quietly(name, attempt).id),
      event_name: event,
      environment: spec.environment,
    });
  }

  /** The next attempt of this run. */
  again(attempt: number): CiRunClient {
    return new CiRunClient(this.env, this.repository, { ...this.spec, runId: this.runId, attempt });
  }

  async upload(
    version: string,
    body: object,
    token?: string,
  ): Promise<{ readonly status: number; readonly body: Record<string, string> }> {
    const response = await fetch(`${await this.env.app.getUrl()}/api/evidence/upload`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token ?? (await this.token(jobOf(body)))}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ repo: this.repository.fullName, version, pipeline: 'build', ...body }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  }

  /** Uploads a JUnit file. */
  uploadTests(version: string, tests = 3, failed = 0, more: object = {}): ReturnType<CiRunClient['upload']> {
    return this.upload(version, { files: [{ filename: 'junit.xml', content: junit(tests, failed) }], ...more });
  }

  async gate(version: string, query: Readonly<Record<string, string>> = {}): Promise<GateAnswer> {
    const search = new URLSearchParams({ version, repo: this.repository.fullName, explain: 'true', ...query });
    const response = await fetch(`${await this.env.app.getUrl()}/api/milestones/check?${search.toString()}`, {
      headers: { authorization: `Bearer ${await this.token()}` },
    });
    if (response.status !== 200) throw new Error(`the gate answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as GateAnswer;
  }
}

/** The job that an upload names is the job of the run. */
const jobOf = (body: object): string | undefined =>
  'job' in body && typeof body.job === 'string' ? body.job : undefined;
