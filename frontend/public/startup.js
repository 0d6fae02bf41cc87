// Runs before the application's own files. While gateways are being replaced, the page may come from one build and
// its files be requested from another, which doesn't have them. Nothing of the application runs then, so reload the
// page here until all of it comes from one build.
(function () {
  var STORAGE_KEY = 'waybill.start-attempts';
  // Together longer than a roll-out of the gateways.
  var DELAYS_S = [2, 4, 8, 16, 32, 32, 32];
  var hasFailed = false;

  // Returns the seconds until the next attempt, or undefined after the last one. Without storage, attempts can't be
  // counted, so there are none.
  function takeDelay() {
    try {
      var attempts = Number(sessionStorage.getItem(STORAGE_KEY));
      var delay = DELAYS_S[attempts];
      // After the last attempt, a reload by the user starts over.
      if (delay === undefined) sessionStorage.removeItem(STORAGE_KEY);
      else sessionStorage.setItem(STORAGE_KEY, String(attempts + 1));
      return delay;
    } catch {
      return undefined;
    }
  }

  function show(text) {
    // Without style sheets, this alone decides the colors.
    document.documentElement.style.colorScheme = document.documentElement.dataset.theme || '';
    // Without its style sheet, the application is running but unusable.
    document.getElementById('root').hidden = true;
    var page = document.createElement('main');
    page.style.cssText = 'padding: 20vh 24px 0; text-align: center; font-family: system-ui, sans-serif';
    var notice = document.createElement('p');
    notice.setAttribute('role', 'status');
    page.append(notice);
    document.body.append(page);
    notice.textContent = text;
  }

  function onError(event) {
    var file = event.target;
    var url = '';
    if (file instanceof HTMLScriptElement) url = file.src;
    if (file instanceof HTMLLinkElement && file.rel === 'stylesheet') url = file.href;
    if (hasFailed || !url.startsWith(location.origin + '/assets/')) return;
    hasFailed = true;
    var delay = takeDelay();
    var text =
      delay === undefined
        ? "Waybill couldn't be loaded. Check your connection, then reload this page. If that doesn't help, ask an administrator."
        : 'Waybill is being updated. This page will reload automatically.';
    if (document.readyState === 'loading') {
      addEventListener('DOMContentLoaded', function () {
        show(text);
      });
    } else show(text);
    if (delay !== undefined) {
      setTimeout(function () {
        location.reload();
      }, delay * 1000);
    }
  }

  addEventListener('error', onError, true);
  // Sent by main.tsx. From here on, pages report missing files themselves.
  addEventListener('waybill:started', function () {
    removeEventListener('error', onError, true);
    if (hasFailed) return;
    try {
      sessionStorage.removeItem(STORAGE_KEY);
    } catch {
      // If storage is blocked, no attempts were counted.
    }
  });
})();
