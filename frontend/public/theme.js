// Runs before the first paint, so that a remembered dark theme does not flash white.
(function () {
  var remembered = null;
  try {
    remembered = localStorage.getItem('waybill.theme');
  } catch {
    // Storage may be blocked: the system's choice stands.
  }
  var dark =
    remembered === 'dark' ||
    (remembered !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
