import { CreateSchema1796000000000 } from './1796000000000-create-schema.js';
import { CreateReportedDeployments1797000000000 } from './1797000000000-create-reported-deployments.js';

/** Every migration, in the order in which they run. */
export const migrations = [CreateSchema1796000000000, CreateReportedDeployments1797000000000];
