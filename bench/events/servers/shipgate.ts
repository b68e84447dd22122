/** The service as one server of the comparison. */
import { answerMemory } from '../../measuring/served.js';
import { serveShipgate } from '../../measuring/shipgate.js';

answerMemory();
await serveShipgate();
