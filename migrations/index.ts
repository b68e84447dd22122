import { CreateSchema1796000000000 } from './1796000000000-create-schema.js';

/** Every migration, in the order in which they run. */
export const migrations = [CreateSchema1796000000000];
