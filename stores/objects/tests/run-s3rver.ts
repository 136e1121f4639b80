// Runs an S3 server in a process of its own, and sends its port to the parent process. The server needs the option
// `--openssl-legacy-provider`, because it encrypts the tokens of its pages with DES.

import S3rver from 's3rver';

const [directory = '', bucket = ''] = process.argv.slice(2);
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  configureBuckets: [{ name: bucket, configs: [] }],
});
const { port } = await server.run();
process.send?.({ port });
process.once('disconnect', () => process.exit());
