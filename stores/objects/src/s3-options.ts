// Options of a bucket.

/**
 * Options of a storage with the interface of S3. The credentials come from the SDK: variables such as
 * `AWS_ACCESS_KEY_ID`, the files of the AWS command, or the role of the machine.
 */
export interface S3Options {
  readonly bucket: string;
  /** Beginning of all keys, empty or ending with `/`. Several storages can share a bucket. Default: empty. */
  readonly prefix?: string;
  /** Region of the bucket. Default: the region that the SDK finds in its variables and files. */
  readonly region?: string;
  /** Address of the server, for example `http://127.0.0.1:9000`. Default: AWS. */
  readonly endpoint?: string;
  /** True to write the bucket into the path of the address, as most servers other than AWS need it. Default: false. */
  readonly forcePathStyle?: boolean;
  /** Number of times that a request with a temporary fault is sent. Default: 3. */
  readonly maxAttempts?: number;
  /** Time in milliseconds after which a connection without any new byte counts as lost. Default: 60,000. */
  readonly idleTimeout?: number;
}
