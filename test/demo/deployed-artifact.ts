import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Repository } from '../github-sim/state/repository.js';
import { createBundle, createSigstoreInstance, type SigstoreInstance } from '../support/sigstore-instance.js';
import { Ci, nextRunId, type CiSettings } from './ci.js';
import { type EndedCommand, runShipgate } from './command-line.js';
import type { DemoEnvironment } from './demo-environment.js';
import { DemoUser } from './demo-user.js';
import type { Narrator } from './narrator.js';
import type { ReleaseWalkthrough } from './release-walkthrough.js';

const VERSION = 'v1.0.0';
const SDLC = `version: v1
stages:
  testing:
    deploy_target: staging
    soak: 10s
    required_artifacts: [{ name: invoices }]
  evidencing: { required_evidence: [{ kind: unit_tests }] }
  deployment: { target: production }
`;
/** The clock of the service completes a soak shortly after its end. */
const AFTER_SOAK_MS = 500;

interface TrustedBuilds {
  readonly instance: SigstoreInstance;
  /** The trusted root of the instance, for the variable TRUSTED_ROOTS. */
  readonly rootFile: string;
}

/** Creates the build service whose attestations the demo trusts. */
export async function trustBuilds(folder: string): Promise<TrustedBuilds> {
  const instance = await createSigstoreInstance('private');
  const rootFile = path.join(folder, 'trusted-root.json');
  writeFileSync(rootFile, JSON.stringify(instance.trustedRoot));
  return { instance, rootFile };
}

/**
 * A release of the repository "invoices", whose artifact has a provenance. GitHub deploys it to staging, where it soaks, and Jenkins
 * deploys it to production.
 */
export class DeployedArtifact {
  private constructor(
    private readonly environment: DemoEnvironment,
    private readonly walk: ReleaseWalkthrough,
    private readonly narrator: Narrator,
    private readonly folder: string,
    private readonly repository: Repository,
    private readonly digest: string,
    private readonly jenkins: Readonly<Record<string, string>>,
  ) {}

  /** The part until the soak begins. */
  static async begin(
    environment: DemoEnvironment,
    ciSettings: CiSettings,
    { instance, folder }: { readonly instance: SigstoreInstance; readonly folder: string },
    walk: ReleaseWalkthrough,
    narrator: Narrator,
  ): Promise<DeployedArtifact> {
    const { developer, releaseManager } = environment.accounts;
    narrator.chapter('An artifact: its build is attested, and it must soak in staging before production');
    const owner = await DemoUser.signIn(environment.baseUrl, environment.accounts.owner.login);
    // The free plan has three repositories, and the workspace has them.
    const { id } = await owner.post<{ id: string }>('/api/billing/upgrade-requests', {});
    await owner.post(`/api/platform/upgrade-requests/${id}/approve`, { paymentReference: 'INV-1' });
    narrator.does(`${environment.accounts.owner.login} requests the pro plan, and approves it as the platform admin.`);
    const repository = environment.github.createRepository(environment.organization, {
      name: 'invoices',
      private: true,
      files: { 'sdlc.yaml': SDLC, 'README.md': '# invoices\n' },
    });
    for (const user of [developer, releaseManager]) repository.setCollaborator(user, 'write');
    repository.milestones.create({ title: VERSION });
    const sha = repository.commit({ files: { 'src/invoice.ts': 'export const total = 1;\n' }, author: developer });
    await walk.untilKnown(repository, VERSION);
    const run = { sha, runId: nextRunId() };
    const ci = new Ci(ciSettings, repository, run);
    walk.expectStatus(await ci.upload(VERSION, 'test', ['junit.xml']), 201, 'CI uploads the tests of invoices');
    await walk.expectGate(repository, VERSION, { stage: 'TESTING', canDeploy: false, because: 'artifact_missing' });

    const digest = `sha256:${createHash('sha256').update(`invoices at ${sha}`).digest('hex')}`;
    const bundle = await createBundle(instance, {
      digest,
      extensions: {
        8: environment.issuer.url,
        13: sha,
        15: String(repository.id),
        21: `${repository.htmlUrl}/actions/runs/${run.runId}/attempts/1`,
      },
    });
    const attestation = path.join(folder, 'invoices-attestation.json');
    writeFileSync(attestation, JSON.stringify(bundle));
    walk.expectStatus(
      await ci.state(VERSION, `invoices@${digest}`, attestation),
      201,
      `CI states the artifact ${digest.slice(0, 14)}… with the attestation of its build`,
    );
    const closed = { stage: 'TESTING', canDeploy: false } as const;
    await walk.expectGate(repository, VERSION, { ...closed, because: 'not_deployed_to_stage' });
    const deployment = repository.deployments.create({ ref: sha, environment: 'staging', creator: developer });
    repository.deployments.setStatus(deployment, 'success');
    narrator.does(`GitHub deploys ${sha.slice(0, 7)} to staging. The soak takes 10 seconds and ends at a full minute.`);
    await walk.expectGate(repository, VERSION, { ...closed, because: 'soaking' });

    const { key } = await owner.post<{ key: string }>('/api/settings/api-keys', {
      name: 'Jenkins',
      scopes: ['gate:read', 'deployment:write'],
      repos: [repository.name],
    });
    const jenkins = {
      JENKINS_URL: 'https://jenkins.example/',
      JOB_NAME: 'invoices',
      BUILD_URL: 'https://jenkins.example/job/invoices/7/',
      GIT_COMMIT: sha,
      SHIPGATE_URL: environment.service.url,
      SHIPGATE_API_KEY: key,
      SHIPGATE_REPO: repository.fullName,
      SHIPGATE_VERSION: VERSION,
    };
    const started = new DeployedArtifact(environment, walk, narrator, folder, repository, digest, jenkins);
    const early = await started.deploy();
    walk.expectStatus(early.code ?? -1, 1, 'Jenkins runs `shipgate deploy`, which runs nothing and ends with');
    if (early.stdout.includes('kubectl')) throw new Error('a command ran although the gate was closed');
    return started;
  }

  /** The part after the soak. */
  async finish(): Promise<void> {
    const { environment, narrator, repository, walk } = this;
    narrator.chapter('Jenkins deploys the artifact after its soak, and its cluster checks the signed answer');
    const soaking = (await this.gate()).find(({ code }) => code === 'soaking');
    if (soaking) {
      narrator.does(soaking.detail);
      await sleep(Math.max(0, Date.parse(soaking.endsAt) + AFTER_SOAK_MS - Date.now()));
    }
    await walk.expectGate(repository, VERSION, {
      stage: 'EVIDENCING',
      canDeploy: false,
      because: 'approvals_missing',
    });
    const pull = await walk.evidencePull(repository, VERSION);
    repository.pulls.reviews.submit(pull, { by: environment.accounts.releaseManager, state: 'APPROVED' });
    narrator.does(`${environment.accounts.releaseManager.login} approves the tests and the digest.`);
    await walk.expectGate(repository, VERSION, { stage: 'DEPLOYMENT', canDeploy: true });

    const { code, stdout } = await this.deploy();
    walk.expectStatus(code ?? -1, 0, 'Jenkins runs `shipgate deploy` again, which ends as its command does, with');
    for (const line of stdout.trimEnd().split('\n')) narrator.detail(line);
    await walk.expectGate(repository, VERSION, { stage: 'DEPLOYED', canDeploy: true });
    await this.verifyStatement();
  }

  /** Saves the signed answer of the gate, and verifies it and a copy that was altered. */
  private async verifyStatement(): Promise<void> {
    const { environment, jenkins, narrator, repository, walk } = this;
    const file = path.join(this.folder, 'invoices-statement.json');
    const keys = path.join(this.folder, 'invoices-keys.json');
    const saved = await runShipgate(['gate', '--digest', this.digest, '--statement', file], { env: jenkins });
    walk.expectStatus(
      saved.code ?? -1,
      0,
      '`shipgate gate --digest … --statement` saves the signed answer and ends with',
    );
    const published = await fetch(`${environment.baseUrl}/api/statement-keys`);
    writeFileSync(keys, await published.text());
    const resource = `${environment.baseUrl}/repositories/${repository.id}/environments/production`;
    const expected = [
      '--key',
      keys,
      '--digest',
      this.digest,
      '--resource',
      resource,
      '--verifier',
      environment.baseUrl,
    ];
    const verify = (statement: string): Promise<EndedCommand> =>
      runShipgate(['verify-statement', statement, ...expected]);
    const intact = await verify(file);
    walk.expectStatus(intact.code ?? -1, 0, '`shipgate verify-statement` accepts it without a network and ends with');
    narrator.detail(intact.stdout.trimEnd());
    const altered = path.join(this.folder, 'invoices-altered.json');
    writeFileSync(altered, withLaterEnd(readFileSync(file, 'utf8')));
    const refused = await verify(altered);
    walk.expectStatus(refused.code ?? -1, 1, 'it refuses a copy that is valid for a year longer, and ends with');
    narrator.detail(refused.stdout.trimEnd());
  }

  private deploy(): Promise<EndedCommand> {
    const command = ['echo', 'kubectl set image deployment/invoices …'];
    const about = ['--environment', 'production', '--digest', this.digest];
    return runShipgate(['deploy', ...about, '--', ...command], { env: this.jenkins });
  }

  private async gate(): Promise<
    readonly { readonly code: string; readonly detail: string; readonly endsAt: string }[]
  > {
    const { stdout } = await runShipgate(['gate', '--json'], { env: this.jenkins });
    return (JSON.parse(stdout) as { reasons: Awaited<ReturnType<DeployedArtifact['gate']>> }).reasons;
  }
}

/** Returns a statement that claims to be valid for a year longer, with its old signature. */
function withLaterEnd(text: string): string {
  const envelope = JSON.parse(text) as { payload: string };
  const payload = Buffer.from(envelope.payload, 'base64').toString('utf8');
  const later = payload.replace(/"validUntil":"(\d{4})/, (_, year: string) => `"validUntil":"${Number(year) + 1}`);
  if (later === payload) throw new Error('the statement has no end');
  return JSON.stringify({ ...envelope, payload: Buffer.from(later).toString('base64') });
}
