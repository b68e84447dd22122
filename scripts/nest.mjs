// Nest's command line. Of its packages one requires `ora` and others import it, which Node 20.19.0 and the first of 22 take for a
// cycle and refuse, unless it was loaded before.
import 'ora';

await import('@nestjs/cli/bin/nest.js');
