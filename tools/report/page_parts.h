// SPDX-License-Identifier: Apache-2.0
// page.html, page.css and page.js and the libraries that it uses, which the build turns into text.
#pragma once

namespace millrace::tools::report {

extern const char kPageHtml[];
extern const char kPageCss[];
extern const char kPageJs[];
extern const char* const kPageLibraries[];  // the last is null

}  // namespace millrace::tools::report
