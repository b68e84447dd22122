import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { OidcIssuer } from '../github-sim/oidc/oidc-issuer.js';
import type { Repository } from '../github-sim/state/repository.js';

export interface GateAnswer {
  readonly current_stage: string;
  readonly evidence_pr_approved: boolean;
  readonly tests_passing: boolean;
  readonly can_deploy: boolean;
  readonly reasons: readonly { readonly code: string; readonly detail: string; readonly actor: string }[];
}

/** Where the reports lie that real tools wrote about this project. */
export interface Surroundings {
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

/** What a workflow does: request an identity token, upload reports, read the gate. All over HTTP, like any CI system. */
export class Ci {
  constructor(
    private readonly surroundings: Surroundings,
    private readonly repository: Repository,
    private readonly run: Run,
  ) {}

  /** Uploads report files of one job, which its token alone names; answers the status. */
  async upload(version: string, job: string, files: readonly string[], environment = 'staging'): Promise<number> {
    const { reports, serviceUrl } = this.surroundings;
    const response = await fetch(`${serviceUrl}/api/evidence/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await this.token(job)}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        repo: this.repository.fullName,
        version,
        pipeline: 'build and test',
        environment,
        files: files.map((filename) => ({ filename, content: readFileSync(path.join(reports, filename), 'utf8') })),
      }),
    });
    return response.status;
  }

  async gate(version: string, sha?: string): Promise<GateAnswer> {
    const query = new URLSearchParams({
      version,
      repo: this.repository.fullName,
      explain: 'true',
      ...(sha && { sha }),
    });
    const response = await fetch(`${this.surroundings.serviceUrl}/api/milestones/check?${query.toString()}`, {
      headers: { authorization: `Bearer ${await this.token()}` },
    });
    if (response.status === 200) return (await response.json()) as GateAnswer;
    return {
      current_stage: `HTTP ${response.status}`,
      evidence_pr_approved: false,
      tests_passing: false,
      can_deploy: false,
      reasons: [{ code: String(response.status), detail: await response.text(), actor: 'service' }],
    };
  }

  /** Of a job that ended well, unless the run has such a job already. */
  private async token(name = 'gate'): Promise<string> {
    const { repository, run } = this;
    const { attempt = 1, runId, sha } = run;
    const job = repository.workflowRuns.quietly({ id: runId, sha }).quietly(name, attempt);
    return this.surroundings.issuer.token({
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
