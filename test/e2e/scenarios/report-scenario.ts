import type { CiRunClient } from '../../support/ci-run-client.js';
import type { TestEnvironment } from '../../support/test-environment.js';
import { RepositoryScenario, type ScenarioSpec } from './repository-scenario.js';

/** The version of the releases in these tests. */
export const VERSION = 'v1.0.0';

export interface ReportAnswer {
  readonly status: number;
  readonly body: {
    readonly deploymentId?: string;
    readonly kind?: string | null;
    readonly releaseId?: string;
    readonly decisionId?: string;
    readonly gate?: {
      readonly can_deploy: boolean;
      readonly reasons: readonly { readonly code: string; readonly detail?: string }[];
    };
    readonly error?: string;
  };
  readonly errorCode: string | null;
}

/** A row of the history. */
export interface RecordRow {
  readonly kind: string;
  readonly version: string | null;
  readonly commit_sha: string;
  readonly environment: string;
  readonly decided: boolean;
  readonly github: boolean;
  readonly reported: boolean;
}

/** A repository whose deployments CI systems report. */
export class ReportScenario extends RepositoryScenario {
  private constructor(
    env: TestEnvironment,
    spec: ScenarioSpec,
    private readonly key: string,
  ) {
    super(env, spec);
  }

  static async in(env: TestEnvironment, spec: ScenarioSpec): Promise<ReportScenario> {
    return new ReportScenario(env, spec, await env.key(['deployment:write']));
  }

  /** Sends a report with an API key that may report for every repository. */
  report(deployment: string, status: string, more: object = {}): Promise<ReportAnswer> {
    return this.send({ deployment, status, ...more }, this.key);
  }

  start(deployment: string, more: object = {}): Promise<ReportAnswer> {
    return this.report(deployment, 'started', more);
  }

  /** Sends a report with any credential. */
  async send(body: object, credential: string): Promise<ReportAnswer> {
    const response = await fetch(`${await this.env.app.getUrl()}/api/deployments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ repo: this.repository.fullName, environment: 'production', ...body }),
    });
    const answer = (await response.json()) as ReportAnswer['body'];
    return { status: response.status, body: answer, errorCode: response.headers.get('x-error-code') };
  }

  /** Sends a report with the identity token of a run. */
  async sendFrom(run: CiRunClient, body: object): Promise<ReportAnswer> {
    return this.send(body, await run.token());
  }

  /** States an artifact of a commit with the identity token of a run. */
  async stateArtifact(sha: string, artifact: { readonly name: string; readonly digest: string }): Promise<void> {
    const response = await fetch(`${await this.env.app.getUrl()}/api/artifacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await this.run(sha).token()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ repo: this.repository.fullName, version: VERSION, ...artifact }),
    });
    if (response.status !== 201) throw new Error(`the artifact was answered ${response.status}`);
    await this.env.waitUntilIdle();
  }

  history(): Promise<readonly RecordRow[]> {
    return this.env.asSuperuser<RecordRow>(
      `select kind, version, commit_sha, environment, decision_id is not null as decided,
         deployment_github_id is not null as github, reported_deployment_id is not null as reported
       from deployment_record where repository_id = (select id from repository where github_id = ${this.repository.id})
       order by recorded_at, id`,
    );
  }

  async stage(version = VERSION): Promise<string> {
    return (await this.gate(version)).current_stage;
  }
}

export const codes = ({ body }: ReportAnswer): readonly string[] => (body.gate?.reasons ?? []).map(({ code }) => code);
