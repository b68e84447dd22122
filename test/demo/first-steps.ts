/** Where a new user of the workspace begins. */
interface FirstSteps {
  readonly pages: readonly { readonly url: string; readonly about: string }[];
  /** The lines of a shell, which do what CI does. Each upload names a run of its own, so that the next one replaces it. */
  readonly shell: readonly string[];
}

interface Workspace {
  readonly baseUrl: string;
  readonly root: string;
  /** For the CI of the repository `catalog`. */
  readonly key: string;
  /** Whether it has the release of `invoices`, whose artifact was deployed. */
  readonly hasArtifact: boolean;
}

/** Returns the first steps in the workspace. */
export function firstSteps({ baseUrl, root, key, hasArtifact }: Workspace): FirstSteps {
  const page = (path: string, about: string): FirstSteps['pages'][number] => ({
    url: `${baseUrl}/w/acme/${path}`,
    about,
  });
  const upload = (report: string, run: number): string =>
    `shipgate upload test/demo/reports/${report} --release v0.10.0 --pipeline mine --run-url http://ci.example/${run} --allow-committed`;
  return {
    pages: [
      page('r/catalog/v0.9.0', 'a blocked release'),
      page('r/catalog/v0.8.4', 'one that waits for approval'),
      page('r/payments/v1.4.0', 'one that is shipped'),
      page('quality?repo=payments&milestone=v1.4.0', 'its scorecard'),
      ...(hasArtifact ? [page('r/invoices/v1.0.0', 'one with an artifact and its deployments')] : []),
    ],
    shell: [
      `cd ${root}`,
      `export SHIPGATE_URL=${baseUrl} SHIPGATE_REPO=acme/catalog SHIPGATE_API_KEY=${key}`,
      'shipgate() { node dist/cli/shipgate.cjs "$@"; }',
      upload('junit-red.xml', 1),
      'shipgate gate --release v0.10.0 --any-sha # closed: it names the test that fails',
      upload('junit.xml', 2),
      'shipgate gate --release v0.10.0 --any-sha --wait 15m # closed until a user approves the pull request that it names',
    ],
  };
}
