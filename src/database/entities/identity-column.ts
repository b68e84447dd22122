import { Column, Generated } from 'typeorm';

/** A number that Postgres assigns to each row. No statement can set it. */
export function IdentityColumn(
  type: 'bigint' | 'integer',
  { primary = false, name }: { readonly primary?: boolean; readonly name?: string } = {},
): PropertyDecorator {
  return (prototype, property) => {
    Column({ type, primary, generatedIdentity: 'ALWAYS', ...(name === undefined ? {} : { name }) })(
      prototype,
      property,
    );
    // TypeORM accepts this strategy for any column, but its types allow it only for primary keys.
    Generated('identity' as 'increment')(prototype, property);
  };
}
