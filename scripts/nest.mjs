// Nest's command line. One of its packages requires `ora` and others import it. Node 20.19.0 and the first versions of 22 reject this as
// a cycle unless `ora` was loaded before.
import 'ora';

process.argv.push('--config', 'config/nest-cli.json');
await import('@nestjs/cli/bin/nest.js');
