interface ImportMetaEnv {
  /**
   * Address of the analytics service, without a slash at its end. If it isn't set, the gateway's own is used. The
   * content security policy of the gateway has to allow another origin.
   */
  readonly VITE_ANALYTICS_URL?: string;
}
