// Connects to the gRPC port of a service as a caller does, to see whether the service answers.
import { connect } from 'node:tls';

/** What an HTTP/2 client sends first: its preface, and empty settings. */
const PREFACE = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])]);

/**
 * Returns the fingerprint of the service's certificate if it answers, or else the reason why not. `options` has
 * the authority and perhaps a certificate with its key. In TLS 1.3 a client learns that it is refused only after
 * its side of the handshake.
 */
export function handshake(port, options) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ALPNProtocols: ['h2'], ...options });
    socket.on('secureConnect', () => socket.write(PREFACE));
    socket.on('data', () => {
      resolve(socket.getPeerX509Certificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', (error) => resolve(error.code));
    socket.on('close', () => resolve('closed'));
  });
}

/** What a fingerprint looks like. */
export const ANSWERS = /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/;
