// A canvas drawn in CSS pixels, at the resolution that the screen has.

const scheme = matchMedia("(prefers-color-scheme: dark)");

export class Surface {
  constructor(canvas, draw) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.draw = draw;
    this.width = this.height = 0;
    new ResizeObserver(() => this.resize()).observe(canvas);
    scheme.addEventListener("change", () => this.redraw());
    this.watchRatio();
  }

  // A window that is moved to another screen, or zoomed, has another ratio.
  watchRatio() {
    const ratio = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    ratio.addEventListener("change", () => (this.resize(), this.watchRatio()), { once: true });
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    [this.width, this.height] = [clientWidth, clientHeight];
    this.canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.canvas.height = Math.round(clientHeight * devicePixelRatio);
    this.redraw();
  }

  redraw() {
    const { context, width, height } = this;
    if (!width || !height) return;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, width, height);
    const style = getComputedStyle(this.canvas);
    this.draw(context, width, height, (name) => style.getPropertyValue(`--${name}`).trim());
  }
}
