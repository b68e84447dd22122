import { Column, Generated } from 'typeorm';

/** A number that Postgres gives each row and nobody else may. */
export function IdentityColumn(type: 'bigint' | 'integer', { primary = false } = {}): PropertyDecorator {
  return (prototype, property) => {
    Column({ type, primary, generatedIdentity: 'ALWAYS' })(prototype, property);
    // TypeORM takes this strategy for any column, and types it for primary keys alone.
    Generated('identity' as 'increment')(prototype, property);
  };
}
