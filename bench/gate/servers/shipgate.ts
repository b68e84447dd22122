/** The service as one server of the comparison. */
import { serveShipgate } from '../../measuring/shipgate.js';

await serveShipgate();
