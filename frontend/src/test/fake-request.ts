type Listener = (event: { lengthComputable: boolean; loaded: number; total: number }) => void;

class Target {
  private readonly listeners = new Map<string, Listener[]>();

  addEventListener(name: string, listener: Listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  emit(name: string, loaded = 0, total = 0) {
    for (const listener of this.listeners.get(name) ?? []) {
      listener({ lengthComputable: total > 0, loaded, total });
    }
  }
}

/** Fake XMLHttpRequest whose outcome is controlled by the test. */
export class FakeRequest extends Target {
  static all: FakeRequest[] = [];
  readonly upload = new Target();
  status = 0;
  method = '';
  url = '';
  body: unknown;

  static last(): FakeRequest {
    const request = FakeRequest.all.at(-1);
    if (!request) throw new Error('No request was made');
    return request;
  }

  open(method: string, url: string) {
    this.method = method;
    this.url = url;
    FakeRequest.all.push(this);
  }

  send(body: unknown) {
    this.body = body;
  }

  abort() {
    this.emit('abort');
    this.emit('loadend');
  }

  progress(loaded: number, total: number) {
    this.upload.emit('progress', loaded, total);
  }

  answer(status: number) {
    this.status = status;
    this.emit('load');
    this.emit('loadend');
  }
}
