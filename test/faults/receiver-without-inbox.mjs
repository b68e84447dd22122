// The service as it would be without its inbox: it acknowledges a delivery before it processes it. It prints its port,
// and the GUID of each processed delivery.
import { createServer } from 'node:http';

const WORK_MS = Number(process.env.WORK_MS);

const server = createServer((request, response) => {
  const guid = request.headers['x-github-delivery'];
  request.resume();
  request.on('end', () => {
    response.writeHead(202).end('{}');
    setTimeout(() => process.stdout.write(`${String(guid)}\n`), WORK_MS);
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('listening\n'));
