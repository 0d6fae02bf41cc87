// Runs the tests in one process, so that each overlay is rendered only once. scripts/test-k8s.sh runs cluster.test.mjs
// beside them, and alerts.test.mjs after both.
import './policy.test.mjs';
import './network.test.mjs';
import './ingress.test.mjs';
import './schemas.test.mjs';
import './pooler.test.mjs';
import './program.test.mjs';
import './deploy.test.mjs';
import './composition.test.mjs';
import './doctor.test.mjs';
import './bare.test.mjs';
import './image.test.mjs';
