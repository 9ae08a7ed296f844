// SPDX-License-Identifier: Apache-2.0
#include "glsl/rewrite.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "glsl/tokens.h"

namespace millrace::glsl {

namespace {

enum class ValueKind { None, Uint, Bool, Grid, String, Output };

struct Rule {
    std::string_view word;
    DeclarationKind kind;
    Attribute attribute;
    ValueKind value;
};

constexpr Rule kRules[] = {
    {"name", DeclarationKind::Node, Attribute::Name, ValueKind::String},
    {"index", DeclarationKind::Node, Attribute::Index, ValueKind::Uint},
    {"static_grid", DeclarationKind::Node, Attribute::StaticGrid, ValueKind::Grid},
    {"max_grid", DeclarationKind::Node, Attribute::MaxGrid, ValueKind::Grid},
    {"coalescing", DeclarationKind::Node, Attribute::Coalescing, ValueKind::None},
    {"recursion", DeclarationKind::Node, Attribute::Recursion, ValueKind::Uint},
    {"shares_input_with", DeclarationKind::Node, Attribute::SharesInputWith, ValueKind::String},
    {"shares_input_index", DeclarationKind::Node, Attribute::SharesInputIndex, ValueKind::Uint},
    {"api_entry", DeclarationKind::Node, Attribute::ApiEntry, ValueKind::Bool},
    {"finish_tracking", DeclarationKind::Input, Attribute::FinishTracking, ValueKind::None},
    {"node", DeclarationKind::Output, Attribute::TargetNode, ValueKind::String},
    {"base_index", DeclarationKind::Output, Attribute::BaseIndex, ValueKind::Uint},
    {"array_size", DeclarationKind::Output, Attribute::ArraySize, ValueKind::Uint},
    {"sparse", DeclarationKind::Output, Attribute::Sparse, ValueKind::None},
    {"finish_tracking", DeclarationKind::Output, Attribute::FinishTracking, ValueKind::None},
    {"shares_budget_with", DeclarationKind::Output, Attribute::SharesBudgetWith, ValueKind::Output},
};

constexpr std::string_view kKeywords[] = {"node", "nodein", "nodeout"};  // in the order of DeclarationKind
constexpr std::string_view kLayouts[] = {"scalar", "std430", "std140"};
constexpr std::string_view kQualifiers[] = {"readonly", "writeonly", "coherent", "volatile", "restrict", "highp",
                                            "mediump",  "lowp",      "const",    "uniform",  "buffer"};

template <typename Range>
bool contains(const Range& range, std::string_view text)
{
    return std::ranges::find(range, text) != std::end(range);
}

std::string typeOf(ValueKind kind)
{
    return kind == ValueKind::Grid ? "uvec3" : kind == ValueKind::Bool ? "bool" : "uint";
}

std::string knownAttributes(DeclarationKind kind)
{
    std::string out;
    for (const Rule& rule : kRules)
        if (rule.kind == kind)
            out += (out.empty() ? "" : ", ") + std::string(rule.word);
    return out;
}

// Writes text whose pieces stay on their lines.
class LineWriter {
public:
    explicit LineWriter(std::string& out) : m_out(out) {}
    uint32_t line = 1;

    void moveTo(uint32_t wanted)
    {
        for (; line < wanted; ++line)
            m_out += '\n';
    }
    void write(std::string_view text)
    {
        m_out += text;
        line += static_cast<uint32_t>(std::ranges::count(text, '\n'));
    }

private:
    std::string& m_out;
};

class Rewriter {
public:
    Rewriter(const std::string& text, const std::string& file, Declarations& declarations)
        : m_text(text), m_file(file), m_tokens(tokenize(text)), m_declarations(declarations), m_writer(m_out)
    {
    }

    Result<std::string> run()
    {
        size_t copied = 0;
        int depth = 0;  // of braces
        for (size_t t = 0; t < m_tokens.size();) {
            const auto found = find(t);
            if (!found) {
                depth += is(t, "{") ? 1 : is(t, "}") ? -1 : 0;
                ++t;
                continue;
            }
            if (depth > 0) {
                return fail(*found,
                            "\"" + std::string(text(*found)) + "\" must be outside of functions and structures");
            }
            m_writer.write(std::string_view(m_text).substr(copied, m_tokens[t].begin - copied));
            size_t end = t;
            if (const Status status = replace(t, *found, end); !status)
                return status.error();
            copied = m_tokens[end].end();
            t = end + 1;
        }
        m_writer.write(std::string_view(m_text).substr(copied));
        return std::move(m_out);
    }

private:
    struct Value {
        Attribute attribute;
        ValueKind kind;
        std::string text;
        uint32_t line;
    };

    std::string_view text(size_t t) const { return t < m_tokens.size() ? m_tokens[t].text : std::string_view(); }
    bool is(size_t t, std::string_view wanted) const { return text(t) == wanted; }
    bool isName(size_t t) const
    {
        return t < m_tokens.size() && m_tokens[t].kind == Token::Kind::Word &&
               !(text(t)[0] >= '0' && text(t)[0] <= '9');
    }
    Diagnostic fail(size_t t, const std::string& reason) const
    {
        const uint32_t line = m_tokens.empty() ? 1 : m_tokens[std::min(t, m_tokens.size() - 1)].line;
        return Diagnostic{{}, {}, at(m_file, line) + reason};
    }

    // One behind the bracket that closes the one at `t`; none if there is no such.
    std::optional<size_t> behindBracket(size_t t) const
    {
        int depth = 0;
        for (; t < m_tokens.size(); ++t) {
            depth += is(t, "(") || is(t, "[") ? 1 : is(t, ")") || is(t, "]") ? -1 : 0;
            if (depth == 0)
                return t + 1;
        }
        return std::nullopt;
    }

    // If a declaration of ours begins at `t`: its keyword.
    std::optional<size_t> find(size_t t) const
    {
        size_t keyword = t;
        bool hasLayout = false;
        while (true) {
            if (is(keyword, "layout") && is(keyword + 1, "(")) {
                const auto behind = behindBracket(keyword + 1);
                if (!behind)
                    return std::nullopt;
                keyword = *behind;
                hasLayout = true;
            } else if (contains(kQualifiers, text(keyword))) {
                ++keyword;
            } else {
                break;
            }
        }
        // Without layout, "node" is a name as any other.
        const bool isNode = is(keyword, "node") && hasLayout && is(keyword + 1, ";");
        const bool isPayload = is(keyword, "nodein") || is(keyword, "nodeout");
        return isNode || isPayload ? std::optional(keyword) : std::nullopt;
    }

    // Writes what stands for the declaration of tokens `first` to `last`, which is its semicolon.
    Status replace(size_t first, size_t keyword, size_t& last)
    {
        Declaration declaration;
        declaration.kind =
            static_cast<DeclarationKind>(std::ranges::find(kKeywords, text(keyword)) - std::begin(kKeywords));
        declaration.file = m_file;
        declaration.line = m_tokens[keyword].line;
        std::vector<Value> values;
        m_layout = "scalar";
        if (Status status = refuseDirectives(first, keyword); !status)
            return status;
        if (Status status = readQualifiers(declaration, first, keyword, values); !status)
            return status;
        size_t type = keyword;
        last = keyword + 1;
        if (declaration.kind != DeclarationKind::Node) {
            type = keyword + 1;
            if (Status status = readVariable(declaration, type, last, values); !status)
                return status;
        }
        if (!is(last, ";"))
            return fail(last, "expected \";\" behind \"" + std::string(text(last - 1)) + "\"");
        if (Status status = refuseDirectives(keyword, last); !status)
            return status;
        emit(declaration, values, type, last);
        m_declarations.push_back(std::move(declaration));
        return {};
    }

    Status refuseDirectives(size_t first, size_t last) const
    {
        for (size_t t = first; t < last; ++t)
            if (m_tokens[t].kind == Token::Kind::Directive)
                return fail(t, "a directive cannot be inside of this declaration");
        return {};
    }

    Status readQualifiers(Declaration& declaration, size_t first, size_t keyword, std::vector<Value>& values)
    {
        for (size_t t = first; t < keyword; ++t) {
            if (is(t, "layout")) {
                const size_t close = *behindBracket(t + 1) - 1;
                if (Status status = readLayout(declaration, t + 2, close, values); !status)
                    return status;
                t = close;
            } else if (is(t, "readonly") && declaration.kind == DeclarationKind::Input) {
                declaration.isReadOnly = true;
            } else {
                return fail(
                    t, "\"" + std::string(text(t)) + "\" cannot be said of \"" + std::string(text(keyword)) + "\"");
            }
        }
        return {};
    }

    Status readLayout(Declaration& declaration, size_t t, size_t close, std::vector<Value>& values)
    {
        while (t < close) {
            size_t end = t;  // the comma
            while (end < close && !is(end, ","))
                end = is(end, "(") || is(end, "[") ? behindBracket(end).value_or(close) : end + 1;
            end = std::min(end, close);
            if (Status status = readAttribute(declaration, t, end, values); !status)
                return status;
            t = end + 1;
        }
        return {};
    }

    // Tokens `t` to `end`, which is not included: a word, or a word, "=" and a value.
    Status readAttribute(Declaration& declaration, size_t t, size_t end, std::vector<Value>& values)
    {
        const std::string word(text(t));
        const bool isNode = declaration.kind == DeclarationKind::Node;
        const std::string keyword(kKeywords[static_cast<size_t>(declaration.kind)]);
        if (!isNode && contains(kLayouts, word) && end == t + 1) {
            m_layout = word;
            return {};
        }
        const auto rule =
            std::ranges::find_if(kRules, [&](const Rule& r) { return r.kind == declaration.kind && r.word == word; });
        if (rule == std::end(kRules))
            return fail(t, "\"" + keyword + "\" has no \"" + word + "\"; it has " + knownAttributes(declaration.kind));
        const bool repeated =
            declaration.strings.contains(rule->attribute) || declaration.flags.contains(rule->attribute) ||
            std::ranges::any_of(values, [&](const Value& v) { return v.attribute == rule->attribute; });
        if (repeated)
            return fail(t, "\"" + word + "\" is there twice");
        return readValue(declaration, *rule, t, end, values);
    }

    // As readAttribute().
    Status readValue(Declaration& declaration, const Rule& rule, size_t t, size_t end, std::vector<Value>& values)
    {
        const std::string word(rule.word);
        if (rule.value == ValueKind::None) {
            if (end != t + 1)
                return fail(t, "\"" + word + "\" takes no value");
            declaration.flags[rule.attribute] = true;
            return {};
        }
        if (!is(t + 1, "=") || end < t + 3)
            return fail(t, "\"" + word + "\" needs a value: " + word + " = ...");
        if (rule.value == ValueKind::String) {
            if (m_tokens[t + 2].kind != Token::Kind::String || end != t + 3)
                return fail(t + 2, "the value of \"" + word + "\" must be a string in quotes");
            declaration.strings[rule.attribute] = text(t + 2).substr(1, text(t + 2).size() - 2);
            return {};
        }
        if (rule.value == ValueKind::Output && (!isName(t + 2) || end != t + 3))
            return fail(t + 2, "the value of \"" + word + "\" must be the name of another nodeout");
        values.push_back({rule.attribute, rule.value, range(t + 2, end), m_tokens[t + 2].line});
        if (rule.value != ValueKind::Output)
            declaration.hints.emplace(m_tokens[t + 2].line, word + " takes a constant " + typeOf(rule.value));
        return {};
    }

    // The text of tokens `t` to `end`, which is not included.
    std::string range(size_t t, size_t end) const
    {
        return m_text.substr(m_tokens[t].begin, m_tokens[end - 1].end() - m_tokens[t].begin);
    }

    // TYPE NAME; TYPE NAME[]; TYPE NAME[SIZE];
    Status readVariable(Declaration& declaration, size_t t, size_t& end, std::vector<Value>& values)
    {
        const std::string keyword(text(t - 1));
        if (!isName(t) || !isName(t + 1))
            return fail(t, "expected \"" + keyword + " TYPE NAME\" or \"" + keyword + " TYPE NAME[MAXIMUM]\"");
        declaration.isEmpty = is(t, "void");
        declaration.hints.emplace(m_tokens[t].line,
                                  "'" + std::string(text(t)) + "' must be a structure that is declared above");
        declaration.name = text(t + 1);
        end = t + 2;
        if (declaration.isEmpty && declaration.kind == DeclarationKind::Input)
            return fail(t, "a node whose payloads are empty has no nodein");
        std::string size = "1u";
        if (is(end, "[")) {
            const size_t behind = behindBracket(end).value_or(m_tokens.size());
            declaration.isArray = true;
            size = behind > end + 2 && behind <= m_tokens.size() ? range(end + 1, behind - 1) : "";
            end = behind;
        }
        if (is(end, "[") || is(end, ",") || is(end, "="))
            return fail(end, "a declaration has one variable, with one dimension at most and no initial value");
        const auto sharesBudget = [](const Value& v) { return v.attribute == Attribute::SharesBudgetWith; };
        if (size.empty() && std::ranges::none_of(values, sharesBudget))
            return fail(t + 1, "how many payloads at most? " + declaration.name + "[MAXIMUM]");
        values.push_back({Attribute::MaxPayloads, ValueKind::Uint, size.empty() ? "1u" : size, m_tokens[t + 1].line});
        return {};
    }

    void emit(const Declaration& declaration, const std::vector<Value>& values, size_t type, size_t last)
    {
        const std::string number = std::to_string(m_declarations.size());
        std::string body;  // of the function that carries the values
        for (const Value& value : values) {
            const std::string constant =
                "mr_value_" + number + "_" + std::to_string(static_cast<uint32_t>(value.attribute));
            m_writer.moveTo(value.line);
            body += emitValue(value, number, constant);
        }
        m_writer.moveTo(m_tokens[type].line);
        if (declaration.kind != DeclarationKind::Node && !declaration.isEmpty) {
            m_writer.write("layout(" + m_layout + ", set = 31, binding = " + number + ") " +
                           (declaration.isReadOnly ? "readonly " : "") + "buffer " + std::string(kBlock) + number +
                           " { " + std::string(text(type)) + " " + declaration.name +
                           (declaration.isArray ? "[]" : "") + "; }; ");
        }
        m_writer.moveTo(m_tokens[last].line);
        if (declaration.kind == DeclarationKind::Output)
            m_writer.write("const uint " + std::string(kOutputNumber) + declaration.name + " = " + number + "u; ");
        m_writer.write("void " + std::string(kDeclareFunction) + number + "() { " + body + "}");
    }

    // Writes the constant and returns the call that carries it.
    std::string emitValue(const Value& value, const std::string& number, const std::string& constant)
    {
        const auto carry = [&](const std::string& what) {
            return "mr_attribute(" + number + "u, " + std::to_string(static_cast<uint32_t>(value.attribute)) + "u, " +
                   what + "); ";
        };
        switch (value.kind) {
            case ValueKind::Bool:
                m_writer.write("const bool " + constant + " = " + value.text + "; ");
                return carry(constant);
            case ValueKind::Grid: {
                m_writer.write("const uvec3 " + constant + " = " + value.text + "; ");
                std::string components;
                for (const char* c : {"x", "y", "z"}) {
                    m_writer.write("const uint " + constant + c + " = " + constant + "." + c + "; ");
                    components += (components.empty() ? "" : ", ") + constant + c;
                }
                return carry(components);
            }
            case ValueKind::Output:
                return carry(std::string(kOutputNumber) + value.text);
            default:
                m_writer.write("const uint " + constant + " = " + value.text + "; ");
                return carry(constant);
        }
    }

    const std::string& m_text;
    const std::string& m_file;
    std::vector<Token> m_tokens;
    Declarations& m_declarations;
    std::string m_out;
    LineWriter m_writer;
    std::string m_layout;  // of the declaration in progress
};

}  // namespace

std::string preamble()
{
    const auto function = [](Placeholder number, const std::string& declaration) {
        return "spirv_instruction(set = \"" + std::string(kPlaceholderSet) +
               "\", id = " + std::to_string(static_cast<uint32_t>(number)) + ") " + declaration + ";\n";
    };
    const std::string output = std::string(kOutputNumber) + "##output";
    return "#extension GL_EXT_spirv_intrinsics : require\n"
           "#extension GL_EXT_scalar_block_layout : require\n"
           "#extension GL_GOOGLE_include_directive : require\n"
           "#define MILLRACE 1\n" +
           function(Placeholder::Attribute, "void mr_attribute(uint declaration, uint kind, uint value)") +
           function(Placeholder::Attribute, "void mr_attribute(uint declaration, uint kind, bool value)") +
           function(Placeholder::Attribute, "void mr_attribute(uint declaration, uint kind, uint x, uint y, uint z)") +
           function(Placeholder::Allocate, "void mr_allocate(uint target, uint scope, uint count, uint index)") +
           function(Placeholder::Enqueue, "void mr_enqueue(uint target)") +
           function(Placeholder::IsValid, "bool mr_is_valid(uint target, uint index)") +
           function(Placeholder::FinishWriting, "bool finishWriting()") +
           function(Placeholder::RemainingRecursion, "uint remainingRecursion()") +
           function(Placeholder::ShaderIndex, "uint shaderIndex()") +
           "#define allocateWorkgroup(output, count) mr_allocate(" + output + ", 2u, count, 0u)\n" +
           "#define allocateWorkgroupAt(output, index, count) mr_allocate(" + output + ", 2u, count, index)\n" +
           "#define allocateInvocation(output, count) mr_allocate(" + output + ", 4u, count, 0u)\n" +
           "#define allocateInvocationAt(output, index, count) mr_allocate(" + output + ", 4u, count, index)\n" +
           "#define enqueue(output) mr_enqueue(" + output + ")\n" + "#define isValid(output) mr_is_valid(" + output +
           ", 0u)\n" + "#define isValidAt(output, index) mr_is_valid(" + output + ", index)\n" +
           "#define dispatch_grid spirv_decorate(extensions = [\"SPV_AMDX_shader_enqueue\"], capabilities = [5067], "
           "5105)\n";
}

Result<std::string> rewriteDeclarations(const std::string& text, const std::string& file, Declarations& declarations)
{
    return Rewriter(text, file, declarations).run();
}

}  // namespace millrace::glsl
