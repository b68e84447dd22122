/** The service as one server of the comparison. */
import { answerMemory } from '../../measuring/served.js';
import { serveShipgate } from '../../measuring/shipgate.js';

answerMemory();
// All readers have one address.
await serveShipgate({ MAX_CONNECTIONS_PER_ADDRESS: '20000' });
