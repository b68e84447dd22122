import { CreateSchema1796000000000 } from './1796000000000-create-schema.js';
import { CreateReportedDeployments1797000000000 } from './1797000000000-create-reported-deployments.js';
import { AddEnvironmentSoaks1798000000000 } from './1798000000000-add-environment-soaks.js';
import { AddArtifacts1799000000000 } from './1799000000000-add-artifacts.js';
import { AddRunningArtifacts1801000000000 } from './1801000000000-add-running-artifacts.js';
import { ReadDigestGatesByVersion1804000000000 } from './1804000000000-read-digest-gates-by-version.js';
import { FindDeploymentsByEnvironment1805000000000 } from './1805000000000-find-deployments-by-environment.js';
import { RecordReportsOfOtherBytes1806000000000 } from './1806000000000-record-reports-of-other-bytes.js';
import { CountArtifactsOfTokens1807000000000 } from './1807000000000-count-artifacts-of-tokens.js';

/** Every migration, in the order in which they run. */
export const migrations = [
  CreateSchema1796000000000,
  CreateReportedDeployments1797000000000,
  AddEnvironmentSoaks1798000000000,
  AddArtifacts1799000000000,
  AddRunningArtifacts1801000000000,
  ReadDigestGatesByVersion1804000000000,
  FindDeploymentsByEnvironment1805000000000,
  RecordReportsOfOtherBytes1806000000000,
  CountArtifactsOfTokens1807000000000,
];
